"""How the written words would react to each attention weight: gradients, caught by hooks on the weights."""

from __future__ import annotations

import numpy as np
import torch

from model.passage import Ask
from model.source import Source, require
from model.trace import Kind, Translation


def gradient_maps(model: Source, translation: Translation, step: int | None = None) -> dict[Kind, np.ndarray]:
    """∂ log p / ∂ weight of every head: float32 [L, H, Q, K] by kind, in nats per unit of weight.

    Every weight is taken as free: its row need not keep a sum of 1, and keys that the mask hides have
    a gradient too, which is set to 0 because their weight cannot change.

    Args:
        model: that wrote, or was forced to write, the translation.
        translation: what was written.
        step: row of ``tgt_outputs`` whose token's log-probability is differentiated; None takes the
            whole translation, <eos> included.

    Raises:
        IndexError: there is no such step.
        LacksAbilityError: the model gives no gradients.
    """
    require(model, "gradients")
    kinds = tuple(model.anatomy.kinds)
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    found = model.forced(ids, Ask(kinds=kinds, gradient="all" if step is None else step)).gradients
    return {
        kind: torch.stack([found[kind, layer] for layer in range(model.anatomy.layers(kind))]).float().cpu().numpy()
        for kind in kinds
    }
