"""Cached arithmetic in the residual stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from viz.core.answers.translations import trace, translation, watched
from viz.core.crowd.sharing import shared_out
from viz.core.kept import kept
from viz.core.models import entry_of

if TYPE_CHECKING:
    from model.analysis.residual.lens import Lens, Promotion
    from model.analysis.residual.proof import HeadProof
    from model.analysis.residual.reasons import Reasons
    from model.analysis.residual.votes import Votes
    from model.attribution.state_shares import Shares
    from model.trace import HeadRef
    from viz.core.session import Subject


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
