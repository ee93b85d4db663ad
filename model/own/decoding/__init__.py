"""Writing: greedy, beam search, drawing, one step at a time."""
