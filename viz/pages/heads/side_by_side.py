"""Heads side by side: now a way of the viewer; the address leads there."""
