"""Sentences in batches: how much padding costs, with and without buckets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from model.training.batching import bucketed
from model.training.corpus import Corpus
from model.translator import Translator


@dataclass(frozen=True)
class Batches:
    """One way to put sentences into batches.

    Attributes:
        rows: numbers of the sentences in each batch.
        lengths: real tokens of each sentence of a batch.
    """

    rows: tuple[tuple[int, ...], ...]
    lengths: tuple[tuple[int, ...], ...]

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
    """Batches of sentences of like length, as training makes them (``model.training.batching.bucketed``)."""
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
