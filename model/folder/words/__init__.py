"""Tokens and languages of a folder's tokenizer."""
