"""A map as a person reads it: words instead of pieces, special tokens hidden, heads combined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from model.trace import AttentionTrace, Kind, Label, Translation

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


def read_cross(trace: AttentionTrace, drawn: str, layer: int, head: int) -> np.ndarray:
    """Cross-attention [query, key] of one head, or of several heads combined; see ``read_drawn``."""
    return read_drawn(trace, "cross", drawn, layer, head)


def read_drawn(trace: AttentionTrace, kind: Kind, drawn: str, layer: int, head: int) -> np.ndarray:
    """Weights [query, key] of one head ("head"), or of several heads of a kind combined.

    Args:
        trace: of a translation.
        kind: which attention.
        drawn: "head"; "layer_mean", the mean over the layer's heads; "mean" or "max" over all layers
            and heads.
        layer, head: which head, or which layer.

    Raises:
        ValueError: there is no such head, or ``drawn`` is none of these.
    """
    one = trace.map(kind, layer, head)
    if drawn == "head":
        return one
    if drawn == "layer_mean":
        return combine(trace.weights[kind][layer], "mean")
    return combine(trace.weights[kind].reshape(-1, *one.shape), drawn)


def written_probabilities(translation: Translation, words: bool, hide_special: bool) -> list[float]:
    """Probability of each token written, <eos> last, read as ``read`` reads rows.

    Of a merged word it is the product over its pieces; of an <eos> that was never reached, 0.

    Raises:
        ValueError: the translation has no trace.
    """
    if translation.trace is None:
        raise ValueError("the translation was made without its trace")
    labels = translation.trace.tgt_outputs
    log_probs = np.full(len(labels), -np.inf)
    log_probs[: len(translation.log_probs)] = translation.log_probs
    groups = _word_groups(labels) if words else [[index] for index in range(len(labels))]
    shown = [group for group in groups if not (hide_special and labels[group[0]].is_special)]
    return [float(np.exp(log_probs[group].sum())) for group in shown]


def merge_words(reading: Reading) -> Reading:
    """Pieces merged into words: weights on a word's pieces add up; a word's rows are averaged.

    So every row still sums to what it did (Clark et al. 2019, section 4.1).
    """
    reading, groups = merge_columns(reading), _word_groups(reading.rows)
    sizes = np.array([len(group) for group in groups], dtype=reading.weights.dtype)
    weights = np.add.reduceat(reading.weights, [group[0] for group in groups], axis=-2) / sizes[:, None]
    return Reading(weights, _merged(reading.rows, groups), reading.columns)


def merge_columns(reading: Reading) -> Reading:
    """Key pieces merged into words, whose weights add up; the rows stay pieces."""
    groups = _word_groups(reading.columns)
    weights = np.add.reduceat(reading.weights, [group[0] for group in groups], axis=-1)
    return Reading(weights, reading.rows, _merged(reading.columns, groups))


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
