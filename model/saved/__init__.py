"""Maps from anywhere: an NPZ file behind the seam as far as it goes, and a way to write one from any PyTorch model."""
