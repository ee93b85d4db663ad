"""What every head does and is worth, for a sentence and over a corpus."""
