"""Corpus scores of a translator: BLEU and chrF."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import sacrebleu
import torch

from model.errors import JUDGED_AT_ONCE, CorpusError, HeadlightError
from model.own.decoding.search import beam_search, greedy
from model.own.decoding.stepping import Stepper, StepPlan
from model.own.network.transformer import Transformer
from model.own.text.tokenize import CharacterTokenizer, pad
from model.own.translator import spans_of
from model.passage import one_thread
from model.sentences import sentence_spans
from model.trace import join_parts
from model.writing import Hypothesis

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
    """Scores of a translator on a file."""

    scores: Scores  # over all pairs
    translations: tuple[str, ...]  # one a pair; empty for those refused
    seconds: float  # wall clock of the translating
    refused: dict[int, str]  # why a sentence was not translated, by its number, counted from 1
    unfinished: int  # how many translations the cap on length cut, which is how a loop ends


def evaluate(
    translator: Translator,
    rows: Sequence[Sequence[str]],
    beam: int = 1,
    joint: bool = False,
    read_back: bool = False,
) -> Evaluation:
    """Translate the English of (English, Chinese, …) rows and score it against the Chinese; see ``translate_all``."""
    started = time.perf_counter()
    found, refused = translate_all(translator, [row[0] for row in rows], beam, joint, read_back)
    seconds = time.perf_counter() - started
    by_letter = translator.src_tokenizer.kind == CharacterTokenizer.kind
    translations = tuple(text for text, _ in found)
    scores = score(translations, [row[1] for row in rows], by_letter)
    return Evaluation(scores, translations, seconds, refused, sum(not finished for _, finished in found))


def translate_all(
    translator: Translator, texts: Sequence[str], beam: int = 1, joint: bool = False, read_back: bool = False
) -> tuple[list[tuple[str, bool]], dict[int, str]]:
    """Translate each text as ``translate_text`` would, only in batches.

    Args:
        translator: whose model translates.
        texts: of one or several sentences.
        beam: hypotheses kept; 1 is greedy.
        joint: give a text of several sentences to the model as one.
        read_back: each is ``Translator.best_both_ways`` of that beam, one by one.

    Returns:
        each text's translation, and whether it ended before the cap on length; a text that would be
        refused (too long) counts as translated by nothing, and the second value says by its number,
        counted from 1, why.
    """
    encoded: list[tuple[int, str, np.ndarray]] = []
    refused: dict[int, str] = {}
    for number, text in enumerate(texts):
        spans = [(0, len(text))] if joint else spans_of(translator, text)
        try:
            parts = [(text[start:end], translator.encode_source(text[start:end])[1]) for start, end in spans]
        except HeadlightError as error:
            refused[number + 1] = str(error)
            continue
        encoded += [(number, part, ids[0].cpu().numpy()) for part, ids in parts]
    if read_back:
        best = (translator.best_both_ways(part, beam) for _, part, _ in encoded)
        written = [(each.text, each.finished) for each in best]
    else:
        written = _in_batches(translator, [ids for _, _, ids in encoded], beam)
    pieces: list[list[str]] = [[] for _ in texts]
    finished = [True] * len(texts)
    for (number, _, _), (text, ended) in zip(encoded, written, strict=True):
        pieces[number].append(text)
        finished[number] &= ended
    return [(join_parts(parts), ended) for parts, ended in zip(pieces, finished, strict=True)], refused


def nearest(translator: Translator, english: str, chinese: str, beam: int = 1) -> str:
    """Of the hypotheses of a beam search one to learn from: near the reference, and good both ways.

    Sequence-level interpolation (Kim and Rush 2016), by ``both_ways`` and a twentieth of the mean of BLEU and chrF.

    Raises:
        HeadlightError: as ``Translator.best_both_ways``.
    """
    bleu = sacrebleu.BLEU(tokenize="zh", effective_order=True)
    measures = (bleu, sacrebleu.CHRF(char_order=3, beta=1))

    def nearness(text: str) -> float:
        return sum(each.sentence_score(text, [chinese]).score for each in measures) / len(measures) / 20

    return translator.best_both_ways(english, beam, nearness).text


def _in_batches(translator: Translator, rows: Sequence[np.ndarray], beam: int) -> list[tuple[str, bool]]:
    with one_thread(), torch.inference_mode():
        found = translate_ids(translator.model, rows, beam, plan=translator.step_plan, loops=translator.by_letter)
    return [(translator.decode_target(each.ids), each.finished) for each in found]


def joined_rows(rows: Sequence[Sequence[str]], count: int, seed: int = 1) -> list[tuple[str, str]]:
    """``count`` texts of two sentences each, with their translations, drawn from pairs of whole sentences.

    Raises:
        CorpusError: fewer than two rows are one whole sentence, with its mark at the end on both sides.
    """
    whole = [row for row in rows if row[0][-1] in ".!?" and row[1][-1] in "。！？" and len(sentence_spans(row[0])) == 1]
    if len(whole) < 2:
        raise CorpusError("there are no two whole sentences to join")
    rng = random.Random(seed)
    method = [rng.sample(whole, 2) for _ in range(count)]
    return [(f"{first[0]} {second[0]}", f"{first[1]}{second[1]}") for first, second in method]


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
    batch_size: int = JUDGED_AT_ONCE,
    plan: StepPlan | None = None,
    loops: bool = True,
) -> list[Hypothesis]:
    """The best hypothesis for each row of source ids, in the rows' own order; long with long in a batch.

    ``plan`` and ``loops`` are those of ``Stepper``.
    """
    device = next(model.parameters()).device
    order = sorted(range(len(rows)), key=lambda index: len(rows[index]))
    found: dict[int, Hypothesis] = {}
    size = 1 if beam > 1 else batch_size
    for start in range(0, len(order), size):
        batch = order[start : start + size]
        src_ids = pad([rows[index] for index in batch]).to(device)
        step = Stepper(model, model.encode(src_ids), src_ids, plan, loops=loops)
        best = beam_search(model, src_ids, beam, step=step)[:1] if beam > 1 else greedy(model, src_ids, step=step)
        found.update(zip(batch, best, strict=True))
    return [found[index] for index in range(len(rows))]
