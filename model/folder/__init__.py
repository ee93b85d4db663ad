"""A local Hugging Face folder behind ``model.source.Source``: one way for every family that transformers can watch."""
