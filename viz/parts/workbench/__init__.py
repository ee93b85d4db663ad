"""The page of heads: the viewer, what it is given, and what stands beneath it."""
