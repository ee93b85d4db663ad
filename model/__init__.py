"""The translator and everything that is computed from it."""
