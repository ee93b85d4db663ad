"""What surrounds every view."""
