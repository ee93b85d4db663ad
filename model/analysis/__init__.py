"""Pure functions on a trace."""
