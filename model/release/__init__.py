"""What follows from a checkpoint's weights before it ships: its past, its licence, and figures in the READMEs."""
