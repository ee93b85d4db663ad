"""The English sentences that the tiny models learn from, and batches of them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from model.errors import CorpusError
from model.pairs import read_rows

HELD_OUT_TEXTS = 1_000
POSITIONS = 48  # tokens that a model has places for
BATCH_ROWS = 64  # sentences of a batch
_JOINED = 0.25  # share of the samples that are two sentences on end, so that later places are learnt too


class Sentences(NamedTuple):
    """English sentences, each once, and how many came from each source."""

    train: list[str]
    held_out: list[str]
    counts: dict[str, int]


def english(tsv: Sequence[Path], sources: Sequence[str], seed: int) -> Sentences:
    """The English sides of TSV files, of these sources only.

    Raises:
        CorpusError: a file cannot be read, or there are too few sentences.
    """
    found = {row[0]: row[2] for path in tsv for row in read_rows(path) if row[2] in sources}
    if len(found) < 2 * HELD_OUT_TEXTS:
        raise CorpusError(f"{len(found)} sentences are too few: give at least {2 * HELD_OUT_TEXTS:,}")
    texts = sorted(found)
    random.Random(seed).shuffle(texts)
    train = texts[HELD_OUT_TEXTS:]
    return Sentences(train, texts[:HELD_OUT_TEXTS], dict(sorted(Counter(found[text] for text in train).items())))


def batches(
    encoded: Sequence[list[int]], join: Callable[[list[int], list[int]], list[int]], seed: int
) -> Iterator[list[list[int]]]:
    """Batches of ids without end: each of BATCH_ROWS samples of nearly one length, in an order of the seed."""
    rng = random.Random(seed)
    order = list(range(len(encoded)))
    while True:
        rng.shuffle(order)
        samples = []
        for place in order:
            one = encoded[place]
            if rng.random() < _JOINED:
                one = join(one, encoded[rng.randrange(len(encoded))])
            samples.append(one[:POSITIONS])
        for start in range(0, len(samples), 50 * BATCH_ROWS):
            pool = sorted(samples[start : start + 50 * BATCH_ROWS], key=len)
            cut = [pool[at : at + BATCH_ROWS] for at in range(0, len(pool), BATCH_ROWS)]
            rng.shuffle(cut)
            yield from cut


def padded(rows: Sequence[list[int]], pad: int) -> Tensor:
    """Rows of ids as one tensor [rows, longest]."""
    longest = max(map(len, rows))
    return torch.tensor([row + [pad] * (longest - len(row)) for row in rows])
