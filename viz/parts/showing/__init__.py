"""Talks and pins in the app."""
