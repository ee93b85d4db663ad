"""Other processes that compute answers while a crowd is there."""
