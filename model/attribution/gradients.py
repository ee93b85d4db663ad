"""How the written words would react to each attention weight: gradients, caught by hooks on the weights."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from model.passage import Ask
from model.source import Source, require
from model.trace import Kind, Translation


def gradient_maps(model: Source, translation: Translation, step: int | None = None) -> dict[Kind, np.ndarray]:
    """∂ log p / ∂ weight of every head: float32 [L, H, Q, K] by kind, in nats per unit of weight.

    Every weight is taken as free: its row need not keep a sum of 1, and keys that the mask hides have
    a gradient too, which is set to 0 because their weight cannot change. Without a ``step``, row t of the
    decoder's kinds has the gradient of the token that step t writes; the encoder's rows belong to no step,
    and have that of the whole translation. An <eos> that was never written has no part in either.

    Args:
        model: that wrote, or was forced to write, the translation.
        translation: what was written.
        step: row of ``tgt_outputs`` whose token's log-probability is differentiated, for all rows; None:
            each row's own token.

    Raises:
        IndexError: there is no such step.
        LacksAbilityError: the model gives no gradients.
    """
    require(model, "gradients")
    kinds = tuple(model.anatomy.kinds)
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    found = model.forced(ids, Ask(kinds=kinds, gradient="each" if step is None else step)).gradients
    every = {
        kind: torch.stack([found[kind, layer] for layer in range(model.anatomy.layers(kind))], -4).float()
        for kind in kinds
    }
    if step is None:
        every = {kind: own_rows(maps) if kind != "encoder_self" else maps.sum(0) for kind, maps in every.items()}
    return {kind: maps.cpu().numpy() for kind, maps in every.items()}


def own_rows(maps: Tensor) -> Tensor:
    """Each step's own row of maps [T', …, T, K], one a step that wrote something: […, T, K]; others are 0."""
    found = torch.zeros_like(maps[0]) if len(maps) else maps.new_zeros(maps.shape[1:])
    for step in range(len(maps)):
        found[..., step, :] = maps[step, ..., step, :]
    return found
