"""Find a head."""
