"""The table of what a map can be made of. A new sort is one file with its sums, one entry here, and its text.

Importing it loads no PyTorch: an entry imports its method when it is asked for a map.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from model.analysis.maps.rollout import rollout_maps
from model.source import Ability, Source, require
from model.trace import AttentionTrace, Kind, TracedTranslation

Maps = dict[Kind, np.ndarray]  # float32 [L, H, Q, K] of every kind
Drawn = Literal["weights", "scores", "norms", "gradient", "gradient_weight", "rollout"]
Shift = Literal["written", "read"]
SHIFTS: tuple[Shift, ...] = ("written", "read")


@dataclass(frozen=True)
class MapSort:
    """One sort of map.

    Attributes:
        from_trace: makes the maps of a trace, where no model is needed; else None.
        from_model: makes them with a model; ``step`` is the row of ``tgt_outputs`` that a sort of one token is of.
        from_maps: makes them from maps of another sort, whose name comes first, and the trace.
        needs: what a model must offer.
        signed: values have either sign.
        words: a word's value is the "sum" over its pieces, or their "mean" where it is no amount.
        shares: rows are shares of a whole, to be divided by what is left when special tokens are hidden.
        of_token: there is one set of maps for each output token, and one for all of them together.
        by_size: what a row marks is told by the size of a value: either sign says that it reacts.
    """

    from_trace: Callable[[AttentionTrace], Mapping[Kind, np.ndarray]] | None = None
    from_model: Callable[[Source, TracedTranslation, int | None], Maps] | None = None
    from_maps: tuple[Drawn, Callable[[Mapping[Kind, np.ndarray], AttentionTrace], Maps]] | None = None
    needs: tuple[Ability, ...] = ()
    signed: bool = False
    words: Literal["sum", "mean"] = "sum"
    shares: bool = False
    of_token: bool = False
    by_size: bool = False


def _rolled(trace: AttentionTrace) -> Mapping[Kind, np.ndarray]:
    """Rollout is the same for all heads of a layer."""
    rolled = rollout_maps(trace)
    return {kind: np.broadcast_to(rolled[kind][:, None], trace.weights[kind].shape) for kind in trace.weights}


def _norms(model: Source, translation: TracedTranslation, _step: int | None) -> Maps:
    from model.analysis.maps.norms import norm_maps

    return norm_maps(model, translation)


def _gradients(model: Source, translation: TracedTranslation, step: int | None) -> Maps:
    from model.analysis.maps.gradients import gradient_maps

    return gradient_maps(model, translation, step)


def _times_weights(gradients: Mapping[Kind, np.ndarray], trace: AttentionTrace) -> Maps:
    return {kind: gradients[kind] * trace.weights[kind] for kind in gradients}


SORTS: dict[Drawn, MapSort] = {
    # α, after softmax; rows sum to 1
    "weights": MapSort(from_trace=lambda trace: trace.weights, shares=True),
    # q·k / √d_head, before mask and softmax
    "scores": MapSort(from_trace=lambda trace: trace.scores, needs=("scores",), signed=True, words="mean"),
    # ‖α f(x)‖ (Kobayashi et al. 2020)
    "norms": MapSort(from_model=_norms, needs=("internals",)),
    # ∂ log p / ∂ α
    "gradient": MapSort(
        from_model=_gradients, needs=("gradients",), signed=True, words="mean", of_token=True, by_size=True
    ),
    # α · ∂ log p / ∂ α (the attribution of Barkan et al. 2021 before its rectifier)
    "gradient_weight": MapSort(
        from_maps=("gradient", _times_weights), needs=("gradients",), signed=True, of_token=True
    ),
    # layers multiplied (Abnar and Zuidema 2020), the same for all heads of a layer
    "rollout": MapSort(from_trace=_rolled, shares=True),
}
DRAWN: tuple[Drawn, ...] = tuple(SORTS)


def drawn_maps(model: Source, translation: TracedTranslation, drawn: Drawn, step: int | None = None) -> Maps:
    """Maps of every head, by kind: float32 [L, H, Q, K].

    Args:
        model: that wrote the translation.
        translation: with its trace.
        drawn: which of SORTS.
        step: for a sort of one token, row of ``tgt_outputs`` whose token it is of; None: the whole translation.

    Raises:
        ValueError: ``drawn`` is none of these.
        IndexError: there is no such step.
        LacksAbilityError: the model does not offer what this sort needs.
    """
    if drawn not in SORTS:
        raise ValueError(f"drawn must be one of {', '.join(SORTS)}, got {drawn!r}")
    sort = SORTS[drawn]
    require(model, *sort.needs)
    if sort.from_trace:
        return dict(sort.from_trace(translation.trace))
    if sort.from_maps:
        other, make = sort.from_maps
        return make(drawn_maps(model, translation, other, step), translation.trace)
    assert sort.from_model
    return sort.from_model(model, translation, step)


def traced_maps(trace: AttentionTrace, drawn: Drawn) -> Mapping[Kind, np.ndarray]:
    """Maps that need no model, as ``drawn_maps`` gives them.

    Raises:
        ValueError: these maps need a model.
    """
    make = SORTS[drawn].from_trace
    if make is None:
        plain = ", ".join(name for name, sort in SORTS.items() if sort.from_trace)
        raise ValueError(f"{drawn} needs a model; from a trace come {plain}")
    return make(trace)
