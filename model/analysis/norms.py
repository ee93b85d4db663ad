"""Norm-weighted attention: how long the vector is that each key really contributes."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from model.analysis.forced import forced_ids
from model.analysis.inside import attention_block
from model.capture import WEIGHTS, Captured, capture_attention, hook_name, n_layers
from model.trace import KINDS, Kind, Translation
from model.transformer import Transformer
from model.translator import Translator

VALUES = "value_hook"


def norm_maps(translator: Translator, translation: Translation) -> dict[Kind, np.ndarray]:
    """‖α f(x)‖ of every head: float32 [L, H, Q, K] by kind (Kobayashi et al. 2020, equation 4).

    f(x) = (x W_V + b_V) W_O with the head's own columns of W_O, so a key with much weight and a short
    value vector counts for little. The output projection's bias belongs to no key and is left out.
    A row does not sum to 1; its unit is the length of a vector in the residual stream.
    """
    src, inputs, _ = forced_ids(translator, translation)
    with translator.running() as model, capture_attention(model, (WEIGHTS, VALUES)) as seen:
        model(src, inputs)
        return {kind: _of_kind(model, seen, kind) for kind in KINDS}


def cross_norms(translator: Translator, translation: Translation) -> tuple[np.ndarray, np.ndarray]:
    """Norms of cross-attention: ‖α f(x)‖ of every head [L, H, T, S], and ‖Σ_h α f(x)‖ of every layer [L, T, S]."""
    src, inputs, _ = forced_ids(translator, translation)
    with translator.running() as model, capture_attention(model, (WEIGHTS, VALUES), ("cross",)) as seen:
        model(src, inputs)
        layers = [
            torch.einsum(
                "hts,hsd->tsd", _weights(seen, "cross", layer), transformed_values(model, seen, "cross", layer)
            )
            for layer in range(n_layers(model, "cross"))
        ]
        return _of_kind(model, seen, "cross"), torch.stack(layers).norm(dim=-1).float().cpu().numpy()


def transformed_values(model: Transformer, seen: Captured, kind: Kind, layer: int) -> Tensor:
    """f(x) of every key, as each head of a layer sends it into the residual stream: [H, K, D]."""
    block = attention_block(model, kind, layer)
    value = seen.values[hook_name(kind, layer, VALUES)][0]  # [H, K, d_head]
    return value @ block.out_proj.weight.T.view(block.n_heads, block.d_head, -1)


def _weights(seen: Captured, kind: Kind, layer: int) -> Tensor:
    return seen.values[hook_name(kind, layer, WEIGHTS)][0]  # [H, Q, K]


def _of_kind(model: Transformer, seen: Captured, kind: Kind) -> np.ndarray:
    layers = []
    for layer in range(n_layers(model, kind)):
        lengths = transformed_values(model, seen, kind, layer).norm(dim=-1)  # [H, K]
        layers.append(_weights(seen, kind, layer) * lengths[:, None])
    return torch.stack(layers).float().cpu().numpy()
