"""Does a map name the words that matter? Deletion, and what follows from it."""
