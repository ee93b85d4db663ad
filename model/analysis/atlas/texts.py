"""Which tokens each head of a kind looks at, and from which it looks hard: counts by what tokens stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import torch

from model.analysis.atlas.batch import MapBatch
from model.analysis.atlas.tally import SCALE

HARD = 0.5  # a row looks hard where its largest weight is as large

Texts = dict[str, np.ndarray]


class TextCounts:
    """Counts by text, of N heads. They add up exactly; texts stand in their own order, whatever came first.

    ==========  ===============================================================================
    at          rows whose largest weight is on the text, [texts, N]
    even        how many there would be if every row looked evenly, times SCALE, [texts]
    hard        rows of the text that look hard, [texts, N]
    own         rows of the text, [texts]
    ==========  ===============================================================================
    """

    NAMES = ("at", "even", "hard", "own")

    def __init__(self, n: int) -> None:
        self.n = n
        self.places: dict[str, int] = {}
        self._arrays = {name: np.zeros((0, n) if name in ("at", "hard") else (0,), np.int64) for name in self.NAMES}

    def add(self, batch: MapBatch) -> None:
        """Count a batch."""
        texts = sorted({text for each in (*batch.row_texts, *batch.key_texts) for text in each})
        local = {text: place for place, text in enumerate(texts)}
        b, n, q, k = batch.weights.shape
        rows, keys = (_indices(each, local, width) for each, width in ((batch.row_texts, q), (batch.key_texts, k)))
        peak, at = batch.weights.max(-1)
        counts = batch.counts[:, None].expand(b, n, q)
        looked = keys[:, None].expand(b, n, k).gather(-1, at)
        hard = counts & (peak >= HARD)
        even = (batch.visible / batch.sees[..., None]).double().sum(1)  # [B, K]
        fixed = (even * SCALE).round().long()
        own_keys = torch.zeros(len(texts), dtype=torch.long).index_add_(0, keys.reshape(-1), fixed.reshape(-1))
        self._merge(
            texts,
            {
                "at": _by_head(looked, counts, len(texts)),
                "even": own_keys.numpy(),
                "hard": _by_head(rows[:, None].expand(b, n, q), hard, len(texts)),
                "own": torch.bincount(rows[batch.counts], minlength=len(texts)).numpy(),
            },
        )

    def merge(self, texts: Sequence[str], arrays: Mapping[str, np.ndarray]) -> None:
        """Add what ``saved`` gave."""
        self._merge(texts, arrays)

    def saved(self) -> tuple[list[str], Texts]:
        """Texts in their order, and the counts."""
        order = sorted(self.places)
        at = [self.places[text] for text in order]
        return order, {name: values[at] for name, values in self._arrays.items()}

    def _merge(self, texts: Sequence[str], arrays: Mapping[str, np.ndarray]) -> None:
        new = [text for text in texts if text not in self.places]
        self.places.update({text: len(self.places) + number for number, text in enumerate(new)})
        self._grow(len(self.places))
        at = [self.places[text] for text in texts]
        for name, values in arrays.items():
            self._arrays[name][at] += values

    def _grow(self, size: int) -> None:
        for name, values in self._arrays.items():
            if size > len(values):
                more = max(size, 2 * len(values))
                grown = np.zeros((more, *values.shape[1:]), np.int64)
                grown[: len(values)] = values
                self._arrays[name] = grown


def _indices(texts: Iterable[Sequence[str]], local: Mapping[str, int], width: int) -> torch.Tensor:
    """The place of each token's text: int64 [B, width]; beyond a sentence's end it says nothing."""
    found = [[local[text] for text in each] + [0] * (width - len(each)) for each in texts]
    return torch.tensor(found)


def _by_head(places: torch.Tensor, which: torch.Tensor, size: int) -> np.ndarray:
    """How many rows that are meant have each place: [B, N, Q] twice → [size, N]."""
    n = places.shape[1]
    flat = places * n + torch.arange(n)[:, None]
    return torch.bincount(flat[which], minlength=size * n).reshape(size, n).numpy()
