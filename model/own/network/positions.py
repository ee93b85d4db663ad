"""Sinusoidal positional encoding."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def angular_frequencies(d_model: int) -> Tensor:
    """Frequency of each sine-cosine pair, in radians per position: float64 [D/2].

    Pair i turns at 10000^(-2i/D) (Vaswani et al. 2017, section 3.5).
    """
    pair = torch.arange(0, d_model, 2, dtype=torch.float64)
    return torch.exp(-math.log(10000.0) * pair / d_model)


def sinusoidal_table(max_len: int, d_model: int) -> Tensor:
    """Positional encoding of every position: float32 [P, D].

    PE(p, 2i) = sin(p · ω_i) and PE(p, 2i+1) = cos(p · ω_i) (Vaswani et al. 2017, section 3.5).
    """
    angle = torch.arange(max_len, dtype=torch.float64)[:, None] * angular_frequencies(d_model)
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1).float()


def rotation(offset: float, d_model: int) -> Tensor:
    """Matrix M with PE(t + offset) = M · PE(t) for every t: float64 [D, D].

    Each sine-cosine pair is turned by offset · ω_i; M does not depend on t, which is why a shift of
    position is a linear map (Vaswani et al. 2017, section 3.5).
    """
    angle = offset * angular_frequencies(d_model)
    cos, sin = angle.cos(), angle.sin()
    blocks = torch.stack((torch.stack((cos, sin), -1), torch.stack((-sin, cos), -1)), dim=-2)
    found: Tensor = torch.block_diag(*blocks)
    return found


class PositionalEncoding(nn.Module):
    """Adds the sinusoidal table to scaled embeddings."""

    table: Tensor

    def __init__(self, max_len: int, d_model: int) -> None:
        super().__init__()
        self.register_buffer("table", sinusoidal_table(max_len, d_model), persistent=False)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """x [B, T, D] plus the encoding of positions start … start + T - 1.

        Raises:
            ValueError: the sequence runs past the last position of the table.
        """
        end = start + x.shape[1]
        if end > self.table.shape[0]:
            raise ValueError(f"sequence of {end} tokens is longer than max_len {len(self.table)}")
        return x + self.table[start:end].to(x.dtype)
