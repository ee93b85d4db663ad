"""Arithmetic in the residual stream: six steps, flow, lens, votes."""
