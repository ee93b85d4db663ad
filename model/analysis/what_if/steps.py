"""What the model considered at every step of writing a translation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from model.passage import Ask
from model.source import Source


@dataclass(frozen=True)
class Candidate:
    """A token that could have been written: its id, its piece, its probability."""

    id: int
    piece: str
    probability: float


@dataclass(frozen=True)
class Step:
    """One step: what was written, the best candidates, and how open the choice was.

    Attributes:
        written: the token that was written; <eos> at the last step.
        candidates: the most probable tokens, best first; ``written`` need not be among them.
        entropy: of the whole next-token distribution, in nats.
    """

    written: Candidate
    candidates: tuple[Candidate, ...]
    entropy: float


def decoding_steps(model: Source, text: str, ids: tuple[int, ...], n: int = 5) -> list[Step]:
    """The steps of writing ``ids`` and then <eos>, from one teacher-forced pass.

    Args:
        model: that wrote them, or could have.
        text: the source sentence.
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
