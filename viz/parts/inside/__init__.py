"""What the view of a head from the inside is made of."""
