"""Every head at once: now a way of the viewer; the address leads there."""
