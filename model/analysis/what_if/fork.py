"""Two translations of one sentence, and the step at which they part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from model.analysis.residual.votes import Votes, votes
from model.analysis.what_if.steps import Candidate, Step
from model.source import Source
from model.trace import Translation


@dataclass(frozen=True)
class Fork:
    """The first step at which two translations wrote different tokens.

    Attributes:
        place: the step, from 0.
        written, other: id of the token that either wrote there; <eos> for one that ended.
    """

    place: int
    written: int
    other: int


def fork_between(written: Translation, other: Translation) -> Fork | None:
    """Where two translations part; None where they are the same, or one was cut before they could."""
    place = parting(written.written_ids, other.written_ids)
    return None if place is None else Fork(place, written.written_ids[place], other.written_ids[place])


def parting(one: Sequence[int], other: Sequence[int]) -> int | None:
    """The first place at which two rows of ids differ; None where one is the beginning of the other.

    >>> parting([4, 5, 6], [4, 7]), parting([4, 5], [4, 5, 6])
    (1, None)
    """
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)


def best_rival(step: Step) -> Candidate:
    """The most probable token that was not written at a step."""
    return next(each for each in step.candidates if each.id != step.written.id)


def prefix_ids(model: Source, text: str) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Target ids of the beginning of a translation, and the pieces in it that the model does not know."""
    tokens = model.encode_target(text)
    unknown = dict.fromkeys(text[token.start : token.end] for token in tokens if token.id in model.never_written)
    return tuple(token.id for token in tokens), tuple(unknown)


def fork_votes(model: Source, text: str, before: Sequence[int], for_id: int, against_id: int) -> Votes:
    """Who voted for one token against another after the target ids ``before``.

    Raises:
        EmptySentenceError, SentenceTooLongError: as ``Source.ids``.
        LacksAbilityError: as ``votes``.
    """
    return votes(model, model.ids(text, before), for_id, against_id)
