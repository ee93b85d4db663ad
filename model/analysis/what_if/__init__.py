"""Decoding looked into and decided otherwise: steps, beams, forks, swaps, changed heads."""
