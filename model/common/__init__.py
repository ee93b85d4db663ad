"""What models share that write: drawing a token, one step of beam search."""
