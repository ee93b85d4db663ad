"""What the documents behind the project teach, on the model's own numbers."""
