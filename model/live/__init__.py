"""A small Transformer that is trained while somebody watches."""
