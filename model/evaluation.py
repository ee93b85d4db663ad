"""Corpus scores of a translator: BLEU and chrF."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import sacrebleu
import torch

from model.decoding import Hypothesis, beam_search, greedy
from model.errors import HeadlightError
from model.stepping import Stepper, StepPlan
from model.threads import one_thread
from model.tokenize import CharacterTokenizer
from model.training.batching import pad
from model.transformer import Transformer

if TYPE_CHECKING:
    from model.translator import Translator


@dataclass(frozen=True)
class Scores:
    """sacrebleu's BLEU and chrF2, in points of 100, and BLEU's signature (which names its tokenizer)."""

    bleu: float
    chrf: float
    signature: str


@dataclass(frozen=True)
class Evaluation:
    """Scores of a translator on a file.

    Attributes:
        scores: over all pairs.
        translations: one a pair; empty for those refused.
        seconds: wall clock of the translating.
        refused: why a sentence was not translated, by its number, counted from 1.
        unfinished: how many translations the cap on length cut.
    """

    scores: Scores
    translations: tuple[str, ...]
    seconds: float
    refused: dict[int, str]
    unfinished: int


def evaluate(translator: Translator, rows: Sequence[Sequence[str]], beam: int = 1) -> Evaluation:
    """Translate the English of (English, Chinese, …) rows and score it against the Chinese.

    Each sentence is translated as ``Translator.translate`` would, only in batches. A sentence that it
    would refuse (too long) counts as translated by nothing.
    """
    started = time.perf_counter()
    encoded: dict[int, np.ndarray] = {}
    refused: dict[int, str] = {}
    for number, row in enumerate(rows, 1):
        try:
            encoded[number] = translator.encode_source(row[0])[1][0].cpu().numpy()
        except HeadlightError as error:
            refused[number] = str(error)
    with one_thread(), torch.inference_mode():
        hypotheses = translate_ids(translator.model, list(encoded.values()), beam, plan=translator.step_plan)
    texts = [translator.tgt_tokenizer.decode(list(hypothesis.ids)) for hypothesis in hypotheses]
    by_number = dict(zip(encoded, texts, strict=True))
    translations = tuple(by_number.get(number, "") for number in range(1, len(rows) + 1))
    seconds = time.perf_counter() - started
    by_letter = translator.src_tokenizer.kind == CharacterTokenizer.kind
    scores = score(translations, [row[1] for row in rows], by_letter)
    return Evaluation(scores, translations, seconds, refused, sum(not h.finished for h in hypotheses))


def score(translations: Sequence[str], references: Sequence[str], by_letter: bool = False) -> Scores:
    """Corpus BLEU and chrF of translations against one reference each; ``by_letter`` where a text is one word."""
    bleu = sacrebleu.BLEU(tokenize="char" if by_letter else "zh")
    value = bleu.corpus_score(list(translations), [list(references)]).score
    chrf = sacrebleu.corpus_chrf(list(translations), [list(references)]).score
    return Scores(value, chrf, str(bleu.get_signature()))


def translate_ids(
    model: Transformer,
    rows: Sequence[np.ndarray],
    beam: int = 1,
    batch_size: int = 64,
    plan: StepPlan | None = None,
) -> list[Hypothesis]:
    """The best hypothesis for each row of source ids, in the rows' own order; long with long in a batch."""
    device = next(model.parameters()).device
    order = sorted(range(len(rows)), key=lambda index: len(rows[index]))
    found: dict[int, Hypothesis] = {}
    size = 1 if beam > 1 else batch_size
    for start in range(0, len(order), size):
        batch = order[start : start + size]
        src_ids = pad([rows[index] for index in batch]).to(device)
        step = Stepper(model, model.encode(src_ids), src_ids, plan)
        best = beam_search(model, src_ids, beam, step=step)[:1] if beam > 1 else greedy(model, src_ids, step=step)
        found.update(zip(batch, best, strict=True))
    return [found[index] for index in range(len(rows))]


def dev_bleu(
    model: Transformer,
    tokenizer: CharacterTokenizer,
    rows: Sequence[np.ndarray],
    references: Sequence[str],
    by_letter: bool = False,
) -> float:
    """Greedy BLEU of a model in training; leaves it in training mode."""
    model.eval()
    with torch.inference_mode():
        hypotheses = translate_ids(model, rows)
    model.train()
    return score([tokenizer.decode(list(h.ids)) for h in hypotheses], references, by_letter).bleu
