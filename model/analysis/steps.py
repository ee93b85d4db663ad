"""What the model considered at every step of writing a translation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from model.translator import Translator
from model.vocab import BOS_ID, EOS_ID, PAD_ID, UNK_ID

NEVER_WRITTEN = [PAD_ID, BOS_ID, UNK_ID]


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


def decoding_steps(translator: Translator, text: str, ids: tuple[int, ...], n: int = 5) -> list[Step]:
    """The steps of writing ``ids`` and then <eos>, from one teacher-forced pass.

    Args:
        translator: whose model wrote them, or could have.
        text: the source sentence.
        ids: target ids without special tokens.
        n: candidates a step.

    Raises:
        EmptySentenceError, SentenceTooLongError: as ``Translator.translate``.
    """
    _, src_ids = translator.encode_source(text)
    inputs = torch.tensor([[BOS_ID, *ids]], device=src_ids.device)
    with translator.running() as model:
        log_probs = model(src_ids, inputs)[0].float().log_softmax(-1)
        entropy = (-(log_probs.exp() * log_probs).sum(-1)).tolist()
        open_log_probs = log_probs.clone()
        open_log_probs[:, NEVER_WRITTEN] = -torch.inf
        best = open_log_probs.topk(n, dim=-1)
    written = [*ids, EOS_ID]
    return [
        Step(
            _candidate(translator, written[row], float(log_probs[row, written[row]])),
            tuple(_candidate(translator, *pair) for pair in zip(tokens, values, strict=True)),
            entropy[row],
        )
        for row, (tokens, values) in enumerate(zip(best.indices.tolist(), best.values.tolist(), strict=True))
    ]


def _candidate(translator: Translator, token_id: int, log_prob: float) -> Candidate:
    return Candidate(token_id, translator.tgt_tokenizer.piece(token_id), math.exp(log_prob))
