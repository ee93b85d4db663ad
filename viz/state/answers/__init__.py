"""Cached answers of the model to the views' questions, one file a wing of the analysis."""
