"""What a map can be made of: one name, one set of maps for every head."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np

from model.analysis.rollout import rollout_maps
from model.trace import KINDS, AttentionTrace, Kind, Translation

if TYPE_CHECKING:
    from model.translator import Translator

Drawn = Literal["weights", "scores", "norms", "gradient", "gradient_weight", "rollout"]
DRAWN: tuple[Drawn, ...] = ("weights", "scores", "norms", "gradient", "gradient_weight", "rollout")
SIGNED: tuple[Drawn, ...] = ("scores", "gradient", "gradient_weight")  # values have either sign
FROM_TRACE: tuple[Drawn, ...] = ("weights", "scores", "rollout")  # no forward pass is needed
OF_TOKEN: tuple[Drawn, ...] = ("gradient", "gradient_weight")  # one set of maps for each output token
Shift = Literal["written", "read"]
SHIFTS: tuple[Shift, ...] = ("written", "read")


def drawn_maps(
    translator: Translator, translation: Translation, drawn: Drawn, step: int | None = None
) -> dict[Kind, np.ndarray]:
    """Maps of every head, by kind: float32 [L, H, Q, K].

    ==================  ================================================================================
    weights             α, after softmax; rows sum to 1
    scores              q·k / √d_head, before mask and softmax
    norms               ‖α f(x)‖ (Kobayashi et al. 2020), see ``norms.norm_maps``
    gradient            ∂ log p / ∂ α, see ``gradients.gradient_maps``
    gradient_weight     α · ∂ log p / ∂ α (the attribution of Barkan et al. 2021 before its rectifier)
    rollout             layers multiplied (Abnar and Zuidema 2020), the same for all heads of a layer
    ==================  ================================================================================

    Args:
        translator: whose model wrote the translation.
        translation: with its trace.
        drawn: which of these.
        step: for the gradients, row of ``tgt_outputs`` whose token they are of; None: the whole translation.

    Raises:
        ValueError: ``drawn`` is none of these, or the translation has no trace.
        IndexError: there is no such step.
    """
    if translation.trace is None:
        raise ValueError("the translation was made without its trace")
    if drawn in FROM_TRACE:
        return dict(traced_maps(translation.trace, drawn))
    if drawn == "norms":
        from model.analysis.norms import norm_maps

        return norm_maps(translator, translation)
    if drawn not in OF_TOKEN:
        raise ValueError(f"drawn must be one of {', '.join(DRAWN)}, got {drawn!r}")
    from model.analysis.gradients import gradient_maps

    gradients = gradient_maps(translator, translation, step)
    if drawn == "gradient":
        return gradients
    return times_weights(gradients, translation.trace)


def times_weights(gradients: Mapping[Kind, np.ndarray], trace: AttentionTrace) -> dict[Kind, np.ndarray]:
    """Gradient × weight from the gradients, by kind."""
    return {kind: gradients[kind] * trace.weights[kind] for kind in KINDS}


def traced_maps(trace: AttentionTrace, drawn: Drawn) -> Mapping[Kind, np.ndarray]:
    """Maps that need no model, as ``drawn_maps`` gives them.

    Raises:
        ValueError: these maps need a model.
    """
    if drawn == "weights":
        return trace.weights
    if drawn == "scores":
        return trace.scores
    if drawn != "rollout":
        raise ValueError(f"{drawn} needs a model; from a trace come {', '.join(FROM_TRACE)}")
    rolled = rollout_maps(trace)
    return {kind: np.broadcast_to(rolled[kind][:, None], trace.weights[kind].shape) for kind in KINDS}
