"""What the views that compare are made of."""
