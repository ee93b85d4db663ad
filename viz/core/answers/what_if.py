"""Cached answers to what decoding did, what else it could have done, and what hiding a word costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from model.analysis.faithfulness.table import load_faithfulness
from viz.core.answers.maps import attribution_maps
from viz.core.answers.translations import translation, watched
from viz.core.crowd.sharing import shared_out
from viz.core.kept import kept
from viz.core.models import entry_of

if TYPE_CHECKING:
    from model.analysis.faithfulness.deletion import LeftOut
    from model.analysis.faithfulness.verdict import Honesty
    from model.analysis.what_if.beam_tree import BeamTree
    from model.analysis.what_if.fork import Step
    from model.analysis.what_if.mixing import Mix
    from model.analysis.what_if.repair import Repair
    from model.trace import HeadRef, Translation
    from model.writing import Hypothesis, Neighbour
    from viz.core.session import Subject


@kept(64)
@shared_out
def steps(subject: Subject, n: int) -> list[Step]:
    """Every step of writing a translation, with its ``n`` best candidates."""
    from model.analysis.what_if.fork import decoding_steps

    return decoding_steps(watched(subject), subject.text, translation(subject).tgt_ids, n)


@kept(32)
def tree(text: str, checkpoint: str, beam: int) -> tuple[BeamTree, list[Hypothesis]]:
    """All that beam search looked at, and what it finished, best first."""
    from model.analysis.what_if.beam_tree import grown_tree

    return grown_tree(entry_of(checkpoint).opened, text, beam)


@kept(128)
@shared_out
def continued(subject: Subject) -> Translation:
    """The translation that starts with the ids that the subject forces; without its maps."""
    return subject.model.opened.translate(subject.text, subject.beam, prefix=subject.forced)


@kept(64)
def sampled(text: str, checkpoint: str, temperature: float, top_k: int, top_p: float, seed: int) -> Translation:
    """A translation whose tokens were drawn; without its maps."""
    from model.writing import Sampling

    return entry_of(checkpoint).opened.translate(text, sampling=Sampling(temperature, top_k, top_p, seed))


@kept(64)
@shared_out
def mix(subject: Subject, gains: tuple[tuple[HeadRef, float], ...]) -> Mix:
    """What changed heads do to the model's own translation; what the subject forces does not count."""
    from model.analysis.what_if.mixing import mix as mixed

    return mixed(subject.model.opened, continued(subject.own), dict(gains), subject.beam)


@kept(64)
def repairs(subject: Subject, step: int) -> Repair:
    """What muting each head alone does to one token of a translation."""
    from model.analysis.what_if.repair import repairs as found_repairs

    found = translation(subject)
    return found_repairs(subject.model.opened, subject.text, found.tgt_ids, step, found.finished)


@kept(256)
def near(word: str, checkpoint: str, n: int) -> list[Neighbour]:
    """The ``n`` words nearest to a word in source-embedding space; none where it is spelt in pieces."""
    return entry_of(checkpoint).opened.neighbours(word, n)


@kept(64)
@shared_out
def left_out(subject: Subject) -> LeftOut:
    """What deleting each source word costs each written token."""
    from model.analysis.faithfulness.deletion import leave_one_out

    return leave_one_out(subject.model.opened, translation(subject))


@kept(128)
@shared_out
def token_left_out(subject: Subject, step: int, words: tuple[int, ...]) -> np.ndarray:
    """What deleting each of these words costs one written token, [W]; 0 for the others.

    What the verdict deletes anyway is deleted once, for it.
    """
    from model.analysis.faithfulness.deletion import costs_of_words

    found, known = translation(subject), word_traces(subject).costs[:, step]
    fresh = [word for word in words if not np.isfinite(known[word])]
    costs = costs_of_words(subject.model.opened, found, fresh, step, before=_before(subject, found))[:, 0]
    there = [word for word in words if np.isfinite(known[word])]
    costs[there] = known[there]
    return costs


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


@kept(64)
@shared_out
def read_back(subject: Subject) -> tuple[float, ...]:
    """How probable each source token is given the translation; nothing where the model has no backward model."""
    from model.translator import Translator

    model = subject.model.opened
    return model.read_back(translation(subject)) if isinstance(model, Translator) else ()


@kept(64)
@shared_out
def better_both_ways(subject: Subject) -> Translation | None:
    """A hypothesis that both directions find better than the translation; None where they find none."""
    from model.translator import Translator

    model = subject.model.opened
    return model.better_both_ways(translation(subject)) if isinstance(model, Translator) else None


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
