"""Lessons 7 and 8: how the learning rate rises and falls, how smoothed labels weigh, and how a batch is filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
import torch
from torch import nn

from model.own.network.layers import Dropout
from model.training.corpus import Corpus, bucketed
from model.training.settings import noam
from model.translator import Translator

CLASSES, SMOOTHING, PADDING = 5, 0.4, 0
ROW_TARGETS = (2, 1, 0, 3, 3)  # those of the Annotated Transformer's picture; the third row is padding
NOAM = ((512, 4000), (512, 8000), (256, 4000))  # d_model and warm-up of its three curves


def smoothed(targets: Sequence[int], smoothing: float, classes: int = CLASSES) -> np.ndarray:
    """What the loss compares with, one row a target: float64 [N, classes] (Szegedy et al. 2016).

    The true class gets 1 − ε, the others share ε; class PADDING is never wanted and gets nothing, and
    a row whose target is padding is left out: all 0.

    >>> smoothed((2, 0), 0.4).round(3).tolist()
    [[0.0, 0.133, 0.6, 0.133, 0.133], [0.0, 0.0, 0.0, 0.0, 0.0]]
    """
    table = np.full((len(targets), classes), smoothing / (classes - 2))
    table[np.arange(len(targets)), list(targets)] = 1 - smoothing
    table[:, PADDING] = 0
    table[np.array(targets) == PADDING] = 0
    return table


def confidence_loss(confidence: np.ndarray, smoothing: float) -> tuple[np.ndarray, np.ndarray]:
    """Loss above its least possible, in nats, and its slope in the true class's logit, as confidence grows.

    Confidence p [N] is the true class's probability; the rest is shared evenly. The loss is the
    Kullback-Leibler divergence from the smoothed label, which is 0 at p = 1 − ε; its gradient in the
    logit is p − (1 − ε).
    """
    true = 1 - smoothing
    loss = true * np.log(true / confidence)
    if smoothing:
        loss = loss + smoothing * np.log(smoothing / (1 - confidence))  # each of the others has the same share of both
    return loss, confidence - true


def ramps(rates: Sequence[float]) -> int:
    """How often a training's learning rate rose from its beginning or from a fall.

    >>> ramps([0.1, 0.5, 0.5, 0.2, 0.4, 0.3])
    2
    """
    moves = [after > before for before, after in pairwise(rates) if after != before]
    return sum(rises and not (place and moves[place - 1]) for place, rises in enumerate(moves))


def rates(steps: np.ndarray, d_model: int, warmup: int, factor: float = 1.0) -> np.ndarray:
    """The Noam schedule's learning rate at each step ≥ 1, times a factor: [N] (Vaswani et al. 2017, equation 3)."""
    return np.array([noam(int(step), d_model, warmup, factor) for step in steps])


def row_loss(target: int, predicted: Sequence[float], smoothing: float) -> float:
    """Kullback-Leibler divergence of one row's smoothed label from a prediction, in nats.

    It is infinite where the label wants something that the prediction gives no probability at all.

    >>> round(row_loss(2, (0, 0.2, 0.7, 0.1, 0), 0.0), 3), row_loss(2, (0, 0.2, 0.7, 0.1, 0), 0.4)
    (0.357, inf)
    """
    label, given = smoothed((target,), smoothing)[0], np.asarray(predicted, dtype=np.float64)
    wanted = label > 0
    with np.errstate(divide="ignore"):
        return float((label[wanted] * np.log(label[wanted] / given[wanted])).sum())


@dataclass(frozen=True)
class Beginning:
    """The first moment of training a square matrix of so many numbers a side, and a step with dropout."""

    bound: float  # √(6 / (in + out)), within which Xavier initialisation draws (Glorot and Bengio 2010)
    largest: float  # size of a number of a matrix made so; ``spread``: of what it makes of inputs of spread 1
    spread: float
    dropped: float  # share of 0 among ones after dropout; ``kept``: what the others have become
    kept: float


@cache
def beginning(d_model: int, dropout: float, seed: int = 0) -> Beginning:
    """Draws such a matrix as the model's own training does, and drops with its own module."""
    with torch.random.fork_rng(), torch.inference_mode():
        torch.manual_seed(seed)
        matrix = nn.init.xavier_uniform_(torch.empty(d_model, d_model))
        out = torch.randn(1000, d_model) @ matrix.T
        ones = Dropout(dropout).train()(torch.ones(100_000))
    bound, dropped = (6 / (2 * d_model)) ** 0.5, float((ones == 0).float().mean())
    return Beginning(bound, float(matrix.abs().max()), float(out.std()), dropped, float(ones.max()))


@dataclass(frozen=True)
class Batches:
    """One way to put sentences into batches."""

    rows: tuple[tuple[int, ...], ...]  # numbers of the sentences in each batch
    lengths: tuple[tuple[int, ...], ...]  # real tokens of each sentence of a batch

    @property
    def cells(self) -> int:
        """Places of all batches' tables, filled or not."""
        return sum(len(batch) * max(batch) for batch in self.lengths)

    @property
    def padding(self) -> float:
        """Share of these places that padding fills."""
        return 1 - sum(sum(batch) for batch in self.lengths) / self.cells


def encoded(model: Translator, sentences: Sequence[str]) -> list[list[int]]:
    """Source ids of each sentence, the end among them; raises as ``encode_source``."""
    return [model.encode_source(sentence)[1][0].tolist() for sentence in sentences]


def as_typed(ids: Sequence[Sequence[int]], size: int) -> Batches:
    """Batches of so many sentences, in the order in which they stand."""
    rows = [tuple(range(start, min(start + size, len(ids)))) for start in range(0, len(ids), size)]
    return _batches(ids, rows)


def by_length(ids: Sequence[Sequence[int]], batch_tokens: int, max_len: int = 10_000) -> Batches:
    """Batches of sentences of like length, as training makes them (``model.training.corpus.bucketed``)."""
    corpus = Corpus(ids, [row[:-1] for row in ids])
    made = bucketed(corpus, batch_tokens, max_len, seed=0)
    return _batches(ids, sorted(tuple(sorted(int(row) for row in batch)) for batch in made))


def _batches(ids: Sequence[Sequence[int]], rows: Sequence[tuple[int, ...]]) -> Batches:
    return Batches(tuple(rows), tuple(tuple(len(ids[row]) for row in batch) for batch in rows))


def picture(batches: Batches) -> np.ndarray:
    """One row a sentence, batch by batch: 1 a token, 0 padding, NaN beyond the batch: float32 [N, longest]."""
    longest = max(max(batch) for batch in batches.lengths)
    out = np.full((sum(map(len, batches.lengths)), longest), np.nan, dtype=np.float32)
    row = 0
    for batch in batches.lengths:
        for length in batch:
            out[row, : max(batch)] = 0
            out[row, :length] = 1
            row += 1
    return out
