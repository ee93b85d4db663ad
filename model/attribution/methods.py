"""The table of what a map can be made of. A new sort is one file with its sums, one entry here, and its text.

Importing it loads no PyTorch: an entry imports its method when it is asked for a map.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Literal

import numpy as np

from model.source import Ability, Source, require
from model.trace import KINDS, AttentionTrace, Kind, TracedTranslation, may_attend

Maps = dict[Kind, np.ndarray]  # float32 [L, H, Q, K] of every kind that a sort has
MethodName = Literal[
    "weights",
    "scores",
    "norms",
    "gradient",
    "gradient_weight",
    "rollout",
    "votes",
    "frozen",
    "chefer",
    "alti",
    "flow",
    "leave_one_out",
    "value_zeroing",
    "cross_zeroing",
    "input_gradient",
    "integrated",
]
Shift = Literal["written", "read"]
SHIFTS: tuple[Shift, ...] = ("written", "read")
_OF_WRITING: tuple[Kind, ...] = ("decoder_self", "cross")


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
        found["decoder_self"] = rolled(by_receptive_field(means["decoder_self"], trace.together))
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


def by_receptive_field(maps: np.ndarray, together: tuple[int, int] = (0, 0)) -> np.ndarray:
    """A decoder's maps [..., T, T], columns divided by the queries that may see them, rows summing to 1 again.

    ``together`` is as ``AttentionTrace.together``.
    """
    fair = maps / may_attend("decoder_self", maps.shape, together).sum(0).astype(maps.dtype)
    found: np.ndarray = fair / fair.sum(-1, keepdims=True)
    return found


def _cross(own: np.ndarray, cross: np.ndarray, encoder: np.ndarray) -> np.ndarray:
    """Share of each source token in each decoder state after each layer: [L, T, S]."""
    share, found = np.zeros_like(cross[0]), []
    for self_map, cross_map in zip(own, cross, strict=True):
        share = 0.5 * share + 0.5 * self_map @ share
        share = 0.5 * share + 0.5 * cross_map @ encoder
        found.append(share)
    return np.stack(found)


@dataclass(frozen=True)
class AttributionMethod:
    """One sort of map."""

    # makes the maps of a trace, where no model is needed; else None
    from_trace: Callable[[AttentionTrace], Mapping[Kind, np.ndarray]] | None = None
    # makes them with a model; ``step`` is the row of ``tgt_outputs`` that a sort of one token is of
    from_model: Callable[[Source, TracedTranslation, int | None], Maps] | None = None
    # makes them from maps of another sort, whose name comes first, and the trace
    from_maps: tuple[MethodName, Callable[[Mapping[Kind, np.ndarray], AttentionTrace], Maps]] | None = None
    needs: tuple[Ability, ...] = ()  # what a model must offer
    # of attention that it has maps of; what is not among them says nothing of a written token
    kinds: tuple[Kind, ...] = KINDS
    # what there is one map of: each "head"; each "layer"; all "layers" up to one; or the whole "model", whose rows of
    # ``decoder_self`` mark tokens read so far, those of ``cross`` source tokens
    per: Literal["head", "layer", "layers", "model"] = "head"
    signed: bool = False  # values have either sign
    # a word's value is the "sum" over its pieces, or their "mean" where it is no amount
    words: Literal["sum", "mean"] = "sum"
    shares: bool = False  # rows are shares of a whole, to be divided by what is left when special tokens are hidden
    of_token: bool = False  # there is one set of maps for each output token, and one for all of them together
    by_size: bool = False  # what a row marks is told by the size of a value: either sign says that it reacts
    perturbs: bool = False  # made by taking something away, as the yardstick is: its kin, which flatters it there
    slow: bool = False  # too slow to be drawn while somebody waits; it is scored and no more

    @property
    def of_written(self) -> bool:
        """True where a row is about the token that its step writes, so that it is named after that one."""
        return self.kinds != KINDS

    def whole(self, cross: np.ndarray) -> np.ndarray:
        """All heads' maps [L, H, Q, K] as one, [Q, K]: their mean, or the last layer's where layers add up."""
        found: np.ndarray = (
            cross[-1, 0] if self.per == "layers" else cross.mean((0, 1), dtype=np.float64).astype(np.float32)
        )
        return found


def _rolled(trace: AttentionTrace) -> Mapping[Kind, np.ndarray]:
    """Rollout is the same for all heads of a layer."""
    rolled = rollout_maps(trace)
    return {kind: np.broadcast_to(rolled[kind][:, None], trace.weights[kind].shape) for kind in trace.weights}


def _by(module: str, function: str) -> Callable[[Source, TracedTranslation, int | None], Maps]:
    """A function of this folder that makes a sort's maps of a model and a translation; it is imported when asked."""

    def make(model: Source, translation: TracedTranslation, _step: int | None) -> Maps:
        found: Maps = getattr(import_module(f".{module}", __package__), function)(model, translation)
        return found

    return make


def _norms(model: Source, translation: TracedTranslation, _step: int | None) -> Maps:
    from model.attribution.per_head import norm_maps

    return norm_maps(model, translation)


def _gradients(model: Source, translation: TracedTranslation, step: int | None) -> Maps:
    from model.attribution.per_head import gradient_maps

    return gradient_maps(model, translation, step)


def _times_weights(gradients: Mapping[Kind, np.ndarray], trace: AttentionTrace) -> Maps:
    return {kind: gradients[kind] * trace.weights[kind] for kind in gradients}


def _whole(
    function: str, *needs: Ability, shares: bool = False, signed: bool = False, slow: bool = False
) -> AttributionMethod:
    """A sort of the whole model."""
    make = _by("through", function)
    return AttributionMethod(
        from_model=make, needs=needs, kinds=_OF_WRITING, per="model", shares=shares, signed=signed, slow=slow
    )


def _deleting(function: str, need: Ability) -> AttributionMethod:
    """A sort of the whole model that takes source words away."""
    make = _by("through", function)
    return AttributionMethod(from_model=make, needs=(need,), kinds=("cross",), per="model", signed=True, perturbs=True)


METHODS: dict[MethodName, AttributionMethod] = {
    # α, after softmax; rows sum to 1
    "weights": AttributionMethod(from_trace=lambda trace: trace.weights, shares=True),
    # q·k / √d_head, before mask and softmax
    "scores": AttributionMethod(from_trace=lambda trace: trace.scores, needs=("scores",), signed=True, words="mean"),
    # ‖α f(x)‖ (Kobayashi et al. 2020)
    "norms": AttributionMethod(from_model=_norms, needs=("internals",)),
    # ∂ log p / ∂ α
    "gradient": AttributionMethod(
        from_model=_gradients, needs=("gradients",), signed=True, words="mean", of_token=True, by_size=True
    ),
    # α · ∂ log p / ∂ α (the attribution of Barkan et al. 2021 before its rectifier)
    "gradient_weight": AttributionMethod(
        from_maps=("gradient", _times_weights), needs=("gradients",), signed=True, of_token=True
    ),
    # layers multiplied (Abnar and Zuidema 2020), the same for all heads of a layer
    "rollout": AttributionMethod(from_trace=_rolled, shares=True, per="layers"),
    # what a key adds, through the head, to the written token's logit above the mean (Elhage et al. 2021)
    "votes": AttributionMethod(
        from_model=_by("per_head", "vote_maps"), needs=("internals", "votes"), kinds=_OF_WRITING, signed=True
    ),
    # the logit's parts, attention and norms held (as DecompX, Modarressi et al. 2023, but for biases)
    "frozen": _whole("frozen_maps", "slopes", signed=True),
    # (Chefer et al. 2021)
    "chefer": _whole("chefer_maps", "gradients"),
    # ALTI+ (Ferrando et al. 2022)
    "alti": _whole("alti_maps", "internals", shares=True),
    # norms with the residual connection, layers multiplied (GlobEnc, Modarressi et al. 2022)
    "flow": _whole("flow_maps", "internals", shares=True),
    # what leaving words out costs
    "leave_one_out": _deleting("leave_one_out_maps", "hide"),
    # within each layer, and in all cross layers at once (Mohebbi et al. 2023)
    "value_zeroing": AttributionMethod(
        from_model=_by("per_head", "zeroing_maps"),
        needs=("internals", "tails"),
        per="layer",
        shares=True,
        perturbs=True,
    ),
    "cross_zeroing": _deleting("cross_zeroing_maps", "silence"),
    # to be compared with
    "input_gradient": _whole("input_gradient_maps", "slopes", signed=True),
    "integrated": _whole("integrated_maps", "slopes", signed=True, slow=True),
}
METHOD_NAMES: tuple[MethodName, ...] = tuple(
    name for name, sort in METHODS.items() if not sort.slow
)  # that can be looked at

# That may be a checkpoint's best: slow ones cannot be shown, and what takes something away is kin of the yardstick.
RIVALS: tuple[MethodName, ...] = tuple(name for name, sort in METHODS.items() if not sort.perturbs and not sort.slow)


def whole_map(model: Source, translation: TracedTranslation, method: MethodName) -> np.ndarray:
    """Cross-attention of all heads as one map, [T, S]; raises as ``attribution_maps``."""
    return METHODS[method].whole(attribution_maps(model, translation, method)["cross"])


def attribution_maps(
    model: Source, translation: TracedTranslation, method: MethodName, step: int | None = None
) -> Maps:
    """Maps of every head, by kind: float32 [L, H, Q, K].

    Args:
        model: that wrote the translation.
        translation: with its trace.
        step: for a sort of one token, row of ``tgt_outputs`` whose token it is of; None: the whole translation.

    Raises:
        ValueError: ``method`` is none of these.
        IndexError: there is no such step.
        LacksAbilityError: the model does not offer what this sort needs, or has no attention that it is of.
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    sort = METHODS[method]
    require(model, *sort.needs)
    if not set(sort.kinds) & set(model.anatomy.kinds):
        require(model, sort.kinds[-1])
    if sort.from_trace:
        return dict(sort.from_trace(translation.trace))
    if sort.from_maps:
        other, make = sort.from_maps
        return make(attribution_maps(model, translation, other, step), translation.trace)
    assert sort.from_model
    from model.passage import one_thread

    with one_thread():
        return sort.from_model(model, translation, step)


def traced_maps(trace: AttentionTrace, method: MethodName) -> Mapping[Kind, np.ndarray]:
    """Maps that need no model, as ``attribution_maps`` gives them.

    Raises:
        ValueError: these maps need a model.
    """
    make = METHODS[method].from_trace
    if make is None:
        plain = ", ".join(name for name, sort in METHODS.items() if sort.from_trace)
        raise ValueError(f"{method} needs a model; from a trace come {plain}")
    return make(trace)
