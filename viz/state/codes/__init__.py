"""Choices as short strings for a link."""
