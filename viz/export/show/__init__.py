"""Talks: scenes in a file, checked against the model, played in one page, printed as a handout."""
