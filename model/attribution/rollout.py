"""Attention rollout: maps multiplied through the layers, so that a row speaks of words and not of mixed states.

Abnar and Zuidema 2020, section 3: each layer's map is the mean over its heads, half of it replaced by
the residual connection, A = ½ W + ½ I, and the layers are multiplied. Numpy on a trace.
"""

from __future__ import annotations

import numpy as np

from model.trace import KINDS, AttentionTrace, Kind


def rollout_maps(trace: AttentionTrace) -> dict[Kind, np.ndarray]:
    """Rollout up to and including each layer, by kind: float32 [L, Q, K]; one map per layer, for all its heads.

    * ``encoder_self``: how much of each source token is in each encoder state. Rows sum to 1.
    * ``decoder_self``: the same for the decoder's own input, through its self-attention alone. Early
      tokens can be seen by more queries; "on a Transformer decoder, we should first normalize based on
      the receptive field" (section 3), which is read here as: each map's column is divided by the number
      of queries that may see it, and its rows are brought back to a sum of 1. Rows sum to 1.
    * ``cross``: from source words to output tokens. A decoder state is half itself and half what it
      gathered, first from decoder states, then from encoder states, which are the encoder's rollout of
      the source tokens. Rows sum to the share that came from the source; the rest came from the
      translation so far. Where a file holds cross-attention alone, there is nothing to multiply: its mean.
    """
    means = {kind: trace.weights[kind].mean(1) for kind in trace.kinds}
    found: dict[Kind, np.ndarray] = {}
    if "encoder_self" in means:
        found["encoder_self"] = rolled(means["encoder_self"])
    if "decoder_self" in means:
        found["decoder_self"] = rolled(by_receptive_field(means["decoder_self"]))
    if len(means) == len(KINDS):
        found["cross"] = _cross(means["decoder_self"], means["cross"], found["encoder_self"][-1])
    elif "cross" in means:
        found["cross"] = means["cross"]
    return found


def rolled(maps: np.ndarray) -> np.ndarray:
    """Products of ½ W + ½ I up to each layer: [L, N, N] → [L, N, N]; the last layer's map multiplies from the left.

    Raises:
        ValueError: the maps are not square.
    """
    if maps.ndim != 3 or maps.shape[1] != maps.shape[2]:
        raise ValueError(f"rollout needs maps [layer, N, N], got {maps.shape}")
    total, found = np.eye(maps.shape[1], dtype=maps.dtype), []
    for layer in maps:
        total = 0.5 * layer @ total + 0.5 * total
        found.append(total)
    return np.stack(found)


def by_receptive_field(maps: np.ndarray) -> np.ndarray:
    """Causal maps [..., T, T] whose columns are divided by the queries that may see them, rows summing to 1 again."""
    seen_by = np.arange(maps.shape[-1], 0, -1, dtype=maps.dtype)  # token j is seen by queries j … T − 1
    fair = maps / seen_by
    return fair / fair.sum(-1, keepdims=True)


def _cross(own: np.ndarray, cross: np.ndarray, encoder: np.ndarray) -> np.ndarray:
    """Share of each source token in each decoder state after each layer: [L, T, S]."""
    share, found = np.zeros_like(cross[0]), []
    for self_map, cross_map in zip(own, cross, strict=True):
        share = 0.5 * share + 0.5 * self_map @ share
        share = 0.5 * share + 0.5 * cross_map @ encoder
        found.append(share)
    return np.stack(found)
