"""Cached maps of every head that are made of more than weights, and what is read off the residual stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model.examples import load_whole
from model.folders import resolve
from viz.core.answers.translations import trace, translation, watched
from viz.core.crowd.sharing import shared_out
from viz.core.kept import kept
from viz.core.models import entry_of

if TYPE_CHECKING:
    import numpy as np

    from model.analysis.residual.lens import Lens, Promotion
    from model.analysis.residual.proof import HeadProof
    from model.analysis.residual.reasons import Reasons
    from model.analysis.residual.votes import Votes
    from model.attribution.methods import MethodName
    from model.attribution.state_shares import Shares
    from model.trace import HeadRef, Kind
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


@kept(32)
@shared_out
def flow_shares(subject: Subject, measure: str) -> Shares:
    """Which part of each state came from which state below it, by attention weights or by norms."""
    if measure == "norms":
        from model.attribution.shares import norm_shares

        return norm_shares(watched(subject), translation(subject))
    from model.analysis.residual.flow import weight_shares

    return weight_shares(trace(subject))


@kept(32)
@shared_out
def lens(subject: Subject, n: int) -> Lens:
    """What each decoder layer would have written, with its ``n`` best candidates."""
    from model.analysis.residual.lens import lens as seen_through

    return seen_through(subject.model.opened, translation(subject), n)


@kept(256)
@shared_out
def promoted(subject: Subject, n: int, head: HeadRef, step: int, k: int) -> Promotion:
    """The ``k`` tokens whose logits a decoder head raises, and lowers, most at a step; ``n`` as for ``lens``."""
    from model.analysis.residual.lens import promoted as most_moved

    return most_moved(subject.model.opened, lens(subject, n), *head, step, k)


@kept(64)
def votes(text: str, checkpoint: str, before: tuple[int, ...], for_id: int, against_id: int) -> Votes:
    """Who voted for one token against another after the target ids ``before``."""
    from model.analysis.what_if.fork import fork_votes

    return fork_votes(entry_of(checkpoint).opened, text, before, for_id, against_id)


@kept(32)
@shared_out
def head_steps(subject: Subject, head: HeadRef) -> HeadProof:
    """The six steps of one head while a translation is written, and how exactly they give the model's numbers."""
    from model.analysis.residual.proof import proven_steps

    return proven_steps(subject.model.opened, subject.text, translation(subject).tgt_ids, *head)


@kept(32)
@shared_out
def reasons(subject: Subject, head: HeadRef) -> Reasons:
    """What every score of one head is made of while a translation is written."""
    from model.analysis.residual.reasons import reasons as taken_apart

    return taken_apart(subject.model.opened, translation(subject), head)
