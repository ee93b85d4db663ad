"""Which word belongs to which: links from maps, and how well they agree with people."""
