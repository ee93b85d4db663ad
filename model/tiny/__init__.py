"""Tiny models of three families, trained on the spot in minutes: they read, go on writing, and look."""
