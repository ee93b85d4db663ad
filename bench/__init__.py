"""Benchmarks that a person can run: python -m bench."""
