"""Cached maps of every head, made of something else than weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model.examples import load_whole
from model.folders import resolve
from viz.core.answers.translations import trace, translation, watched
from viz.core.crowd.sharing import shared_out
from viz.core.kept import kept

if TYPE_CHECKING:
    import numpy as np

    from model.attribution.methods import MethodName
    from model.trace import Kind
    from viz.core.session import Subject


def seen_picture(subject: Subject) -> tuple[bytes, tuple[int, int]]:
    """The part of a picture that the model sees, as a PNG file, and its rows and columns of patches."""
    found: tuple[bytes, tuple[int, int]] = subject.model.opened.seen(subject.text)
    return found


@kept(24)
def frozen_shares(subject: Subject) -> tuple[float, float]:
    """How many times the logit all tokens' parts are, and the biases, where attention and norms are held."""
    from model.attribution import through

    return through.frozen_shares(subject.model.opened, translation(subject))


@kept(24)
@shared_out
def attribution_maps(subject: Subject, method: MethodName, step: int | None) -> dict[Kind, np.ndarray]:
    """Maps of one sort; gradients are of the output token ``step``, or of the whole translation."""
    from model.attribution.methods import METHODS
    from model.attribution.methods import attribution_maps as made

    if source := METHODS[method].from_maps:
        other, make = source
        return make(attribution_maps(subject, other, step), trace(subject))
    # Gradients are too large to be kept; of votes the first picture is made, which waits for nothing else.
    own_pass = method == "votes" or {"gradients", "slopes"}.intersection(METHODS[method].needs)
    model = subject.model.opened if own_pass else watched(subject)
    return made(model, translation(subject), method, step)


@kept(64)
def whole_map(subject: Subject, method: MethodName) -> np.ndarray:
    """Cross-attention of all heads as one map, [T, S]: a stored example's where there is one, else computed."""
    from model.attribution.methods import METHODS, traced_maps

    if subject.model.kind == "own" and subject.beam == 1 and not subject.forced:
        stored = load_whole(resolve(subject.checkpoint), subject.text, subject.model.sha256, method)
        if stored is not None:
            return stored
    plain = METHODS[method].from_trace is not None
    maps = traced_maps(trace(subject), method) if plain else attribution_maps(subject, method, None)
    return METHODS[method].whole(maps["cross"])
