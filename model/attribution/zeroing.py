"""Value zeroing: how far a state turns when one key has no value."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from model.attribution.norms import transformed_values
from model.passage import Ask, Pass
from model.source import Source, require
from model.trace import Kind, Translation, may_attend


def zeroing_maps(model: Source, translation: Translation) -> dict[Kind, np.ndarray]:
    """Value zeroing (Mohebbi et al. 2023) of every layer, for all its heads the same: float32 [L, H, Q, K] by kind.

    Of each query the state that the layer gives, once as it is and once with the values of one key set to
    0 in all heads; the cosine distance of both, each row divided by its sum. Only what happens within the
    layer counts.

    Raises:
        LacksAbilityError: a layer cannot go on from other states.
    """
    require(model, "internals", "tails")
    kinds = tuple(model.anatomy.kinds)
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    seen = model.forced(ids, Ask(("weights", "value", "residual", "output", "memory"), kinds))
    found: dict[Kind, np.ndarray] = {}
    for kind, sizes in model.anatomy.kinds.items():
        layers = np.stack([_of_layer(model, seen, kind, layer) for layer in range(sizes.layers)])
        found[kind] = np.broadcast_to(layers[:, None], (sizes.layers, sizes.heads, *layers.shape[1:]))
    return found


def _of_layer(model: Source, seen: Pass, kind: Kind, layer: int) -> np.ndarray:
    vectors = torch.einsum(
        "hqk,hkd->qkd", seen.step(kind, layer, "weights"), transformed_values(model, seen, kind, layer)
    )
    state = seen.step(kind, layer, "residual") + seen.step(kind, layer, "output")
    memory = seen.step("cross", layer, "memory") if kind == "decoder_self" and "cross" in model.anatomy.kinds else None
    whole = model.tail(kind, layer, state, memory)
    rows, keys = torch.from_numpy(may_attend(kind, tuple(vectors.shape[:2]))).to(state.device).nonzero(as_tuple=True)
    turned = model.tail(kind, layer, state[rows] - vectors[rows, keys], memory)
    found = torch.zeros(vectors.shape[:2], dtype=torch.float64, device=state.device)
    found[rows, keys] = _distance(whole[rows], turned)
    return _shared(found).float().cpu().numpy()


def _distance(one: Tensor, other: Tensor) -> Tensor:
    """Cosine distance along the last axis, at least 0; in double precision, since most are small."""
    one, other = one.double(), other.double()
    return (1 - (one * other).sum(-1) / (one.norm(dim=-1) * other.norm(dim=-1)).clamp_min(1e-30)).clamp_min(0)


def _shared(rows: Tensor) -> Tensor:
    total = rows.sum(-1, keepdim=True)
    return torch.where(total > 0, rows / total.clamp_min(1e-30), 0.0)
