"""A map as a person reads it: words instead of pieces, special tokens hidden, heads combined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from model.trace import AttentionTrace, Kind, Label

COMBINATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "mean": lambda maps: maps.mean(axis=0),
    "max": lambda maps: maps.max(axis=0),
}


@dataclass(frozen=True)
class Reading:
    """Weights [query, key] with the labels of their rows and columns."""

    weights: np.ndarray
    rows: tuple[Label, ...]
    columns: tuple[Label, ...]


def read_map(
    trace: AttentionTrace, kind: Kind, layer: int, head: int, words: bool = False, hide_special: bool = False
) -> Reading:
    """One head's map, read as asked.

    Args:
        trace: of a translation.
        kind, layer, head: which map.
        words: merge the pieces of a word (see ``merge_words``).
        hide_special: leave out <bos> and <eos>, and renormalise (see ``without_special``).

    Raises:
        ValueError: there is no such map.
    """
    return read(trace.map(kind, layer, head), *trace.axis_labels(kind), words, hide_special)


def read(
    weights: np.ndarray,
    rows: tuple[Label, ...],
    columns: tuple[Label, ...],
    words: bool = False,
    hide_special: bool = False,
) -> Reading:
    """Any [..., query, key] weights with these labels, read as ``read_map`` does."""
    reading = Reading(weights, rows, columns)
    if words:
        reading = merge_words(reading)
    return without_special(reading) if hide_special else reading


def merge_words(reading: Reading) -> Reading:
    """Pieces merged into words: weights on a word's pieces add up; a word's rows are averaged.

    So every row still sums to what it did (Clark et al. 2019, section 4.1).
    """
    row_groups, column_groups = _word_groups(reading.rows), _word_groups(reading.columns)
    starts = [group[0] for group in column_groups]
    weights = np.add.reduceat(reading.weights, starts, axis=-1)
    starts = [group[0] for group in row_groups]
    sizes = np.array([len(group) for group in row_groups], dtype=weights.dtype)
    weights = np.add.reduceat(weights, starts, axis=-2) / sizes[:, None]
    return Reading(weights, _merged(reading.rows, row_groups), _merged(reading.columns, column_groups))


def without_special(reading: Reading) -> Reading:
    """The map without rows and columns of special tokens, each row divided by what is left of it.

    A row that attends to special tokens alone stays zero.
    """
    rows = [index for index, label in enumerate(reading.rows) if not label.is_special]
    columns = [index for index, label in enumerate(reading.columns) if not label.is_special]
    weights = reading.weights[..., rows, :][..., columns]
    total = weights.sum(axis=-1, keepdims=True)
    weights = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return Reading(weights, tuple(reading.rows[i] for i in rows), tuple(reading.columns[i] for i in columns))


def combine(maps: np.ndarray, how: str) -> np.ndarray:
    """Several heads' maps [N, query, key] as one: their element-wise mean or maximum.

    Raises:
        ValueError: ``how`` is not one of COMBINATIONS.
    """
    if how not in COMBINATIONS:
        raise ValueError(f"combination must be one of {', '.join(COMBINATIONS)}, got {how!r}")
    return COMBINATIONS[how](maps)


def _word_groups(labels: Sequence[Label]) -> list[list[int]]:
    groups: list[list[int]] = []
    for index, label in enumerate(labels):
        if groups and not label.is_special and labels[index - 1].word == label.word:
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups


def _merged(labels: Sequence[Label], groups: list[list[int]]) -> tuple[Label, ...]:
    merged = []
    for group in groups:
        first, last = labels[group[0]], labels[group[-1]]
        pieces = [labels[group[0]].text]
        pieces += [labels[i].text.removeprefix("##") for i in group[1:] if labels[i].start >= labels[i - 1].end]
        merged.append(Label("".join(pieces), first.word, first.start, last.end))
    return tuple(merged)
