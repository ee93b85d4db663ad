"""Cached answers to what deleting words costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from model.analysis.faithfulness.table import load_faithfulness
from viz.core.answers.maps import attribution_maps
from viz.core.answers.translations import translation
from viz.core.crowd.sharing import shared_out
from viz.core.kept import kept

if TYPE_CHECKING:
    from model.analysis.faithfulness.deletion import LeftOut
    from model.analysis.faithfulness.verdict import Honesty
    from model.trace import Translation
    from viz.core.session import Subject


@kept(64)
@shared_out
def left_out(subject: Subject) -> LeftOut:
    """What deleting each source word costs each written token."""
    from model.analysis.faithfulness.deletion import leave_one_out

    return leave_one_out(subject.model.opened, translation(subject))


@kept(128)
@shared_out
def token_left_out(subject: Subject, step: int, words: tuple[int, ...]) -> np.ndarray:
    """What deleting each of these words costs one written token, [W]; 0 for the others."""
    from model.analysis.faithfulness.deletion import costs_of_words

    found = translation(subject)
    return costs_of_words(subject.model.opened, found, words, step, before=_before(subject, found))[:, 0]


def _before(subject: Subject, found: Translation) -> tuple[float, ...]:
    """What a translation says of its tokens; nothing of a model with rules of its own for what it writes."""
    return found.log_probs if subject.model.kind == "own" else ()


@kept(64)
@shared_out
def word_traces(subject: Subject) -> LeftOut:
    """What deleting those words costs that may have left no trace; what certainly left one has infinite costs."""
    from model.analysis.faithfulness.deletion import leave_some_out
    from model.analysis.what_if.verdict import may_be_traceless

    found, votes = translation(subject), None
    if subject.model.kind == "own":  # of a folder's model the votes take longer than they spare
        votes = attribution_maps(subject, "votes", None)["cross"].sum((0, 1))
    return leave_some_out(subject.model.opened, found, may_be_traceless, votes, _before(subject, found))


@kept(16)
def faithfulness(checkpoint: str, sha256: str) -> tuple[dict[str, Any] | None, str]:
    """The table of faithfulness that comes with a checkpoint, where it is of these weights, and what is wrong else."""
    return load_faithfulness(checkpoint, sha256)


@kept(128)
@shared_out
def words_honesty(subject: Subject, importance: tuple[float, ...], token: int | None) -> Honesty:
    """What deleting the words of the highest importance costs the translation, or one written token."""
    from model.analysis.faithfulness.verdict import honesty_of_words

    found = translation(subject)
    return honesty_of_words(subject.model.opened, found, np.array(importance), token)
