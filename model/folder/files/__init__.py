"""A folder's files: looked at, loaded, converted."""
