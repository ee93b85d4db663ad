"""What stands over every view, and what views have of it."""
