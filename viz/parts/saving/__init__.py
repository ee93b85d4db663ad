"""What pages offer to be taken away."""
