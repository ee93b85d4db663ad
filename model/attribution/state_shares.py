"""What is said of states and the states below them; numpy only, for the app opens before PyTorch is there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from model.trace import Kind


@dataclass(frozen=True)
class Shares:
    """Which part of each state came from which state below it; float [layer, query, key]."""

    # of an encoder layer's outputs, [L, S, S]; rows sum to 1, the residual connection is on the diagonal
    encoder: np.ndarray
    own: np.ndarray  # of the decoder's states after self-attention, [L, T, T]; rows sum to 1, as above
    # of the decoder's states after cross-attention, [L, T, S]; rows sum to what came from the encoder, and the rest is
    # the state after self-attention
    cross: np.ndarray
    heads: dict[Kind, np.ndarray]  # by kind, the head with the most of each share, int [L, Q, K]
