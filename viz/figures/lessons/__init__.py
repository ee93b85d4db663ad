"""How the parts of the model work, in pictures."""
