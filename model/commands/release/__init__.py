"""Commands about a checkpoint that ships: what follows from its weights, and the mean of two."""
