"""Corpus scores of a translator: BLEU and chrF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sacrebleu
import torch

from model.decoding import Hypothesis, beam_search, greedy
from model.tokenize import CharacterTokenizer
from model.training.batching import pad
from model.transformer import Transformer


@dataclass(frozen=True)
class Scores:
    """sacrebleu's BLEU (tokenize="zh") and chrF2, in points of 100, and BLEU's signature."""

    bleu: float
    chrf: float
    signature: str


def score(translations: Sequence[str], references: Sequence[str]) -> Scores:
    """Corpus BLEU and chrF of translations against one reference each."""
    bleu = sacrebleu.BLEU(tokenize="zh")
    value = bleu.corpus_score(list(translations), [list(references)]).score
    chrf = sacrebleu.corpus_chrf(list(translations), [list(references)]).score
    return Scores(value, chrf, str(bleu.get_signature()))


def translate_ids(
    model: Transformer,
    rows: Sequence[np.ndarray],
    beam: int = 1,
    batch_size: int = 64,
) -> list[Hypothesis]:
    """The best hypothesis for each row of source ids, in the rows' own order; long with long in a batch."""
    device = next(model.parameters()).device
    order = sorted(range(len(rows)), key=lambda index: len(rows[index]))
    found: dict[int, Hypothesis] = {}
    size = 1 if beam > 1 else batch_size
    for start in range(0, len(order), size):
        batch = order[start : start + size]
        src_ids = pad([rows[index] for index in batch]).to(device)
        best = beam_search(model, src_ids, beam)[:1] if beam > 1 else greedy(model, src_ids)
        found.update(zip(batch, best, strict=True))
    return [found[index] for index in range(len(rows))]


def dev_bleu(
    model: Transformer, tokenizer: CharacterTokenizer, rows: Sequence[np.ndarray], references: Sequence[str]
) -> float:
    """Greedy BLEU of a model in training; leaves it in training mode."""
    model.eval()
    with torch.inference_mode():
        hypotheses = translate_ids(model, rows)
    model.train()
    return score([tokenizer.decode(list(h.ids)) for h in hypotheses], references).bleu
