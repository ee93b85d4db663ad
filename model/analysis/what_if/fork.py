"""Two translations of one sentence, and the step at which they part."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from model.analysis.residual.votes import Votes, votes
from model.passage import Ask
from model.source import Source
from model.trace import Translation


@dataclass(frozen=True)
class Candidate:
    """A token that could have been written: its id, its piece, its probability."""

    id: int
    piece: str
    probability: float


@dataclass(frozen=True)
class Step:
    """One step: what was written, the best candidates, and how open the choice was."""

    written: Candidate  # the token that was written; <eos> at the last step
    candidates: tuple[Candidate, ...]  # the most probable tokens, best first; ``written`` need not be among them
    entropy: float  # of the whole next-token distribution, in nats


def decoding_steps(model: Source, text: str, ids: tuple[int, ...], n: int = 5) -> list[Step]:
    """The steps of writing ``ids`` and then <eos>, from one teacher-forced pass.

    Args:
        model: that wrote them, or could have.
        ids: target ids without special tokens.
        n: candidates a step.

    Raises:
        EmptySentenceError, SentenceTooLongError: as ``Source.ids``.
    """
    forced = model.ids(text, ids)
    logits = model.forced(forced, Ask(kinds=(), logits=True)).logits
    assert logits is not None
    log_probs = logits.log_softmax(-1)
    entropy = (-(log_probs.exp() * log_probs).sum(-1)).tolist()
    best = log_probs.index_fill(
        1, torch.tensor(model.never_written, dtype=torch.long, device=logits.device), -torch.inf
    ).topk(min(n, log_probs.shape[-1]), dim=-1)
    rows = zip(forced.written.tolist(), best.indices.tolist(), best.values.tolist(), strict=True)
    return [
        Step(
            _candidate(model, token, float(log_probs[row, token])),
            tuple(_candidate(model, *pair) for pair in zip(candidates, values, strict=True)),
            entropy[row],
        )
        for row, (token, candidates, values) in enumerate(rows)
    ]


def _candidate(model: Source, token_id: int, log_prob: float) -> Candidate:
    return Candidate(token_id, model.piece(token_id), math.exp(log_prob))


@dataclass(frozen=True)
class Fork:
    """The first step at which two translations wrote different tokens."""

    place: int  # the step, from 0
    # written, other: id of the token that either wrote there; <eos> for one that ended
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
