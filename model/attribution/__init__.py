"""What a map can be made of, how it is read, checked and saved."""
