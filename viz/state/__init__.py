"""What a visitor has chosen, how links say it, and the cached answers to it."""
