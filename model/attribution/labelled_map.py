"""A map as a person reads it: words instead of pieces, special tokens hidden, heads combined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from model.attribution.methods import METHODS, MethodName, Shift
from model.trace import AttentionTrace, Label, TracedTranslation

COMBINATIONS = ("mean", "max", "importance")


@dataclass(frozen=True)
class LabelledMap:
    """Weights [query, key] with the labels of their rows and columns."""

    weights: np.ndarray
    rows: tuple[Label, ...]
    columns: tuple[Label, ...]


def read(
    weights: np.ndarray,
    rows: tuple[Label, ...],
    columns: tuple[Label, ...],
    words: bool = False,
    hide_special: bool = False,
    method: MethodName = "weights",
) -> LabelledMap:
    """Values [..., query, key] with these labels: pieces of a word merged, special tokens hidden, where asked.

    Scores and gradients of a word's pieces are averaged where weights would be added; only shares of a
    whole (weights, rollout) are divided by what is left when special tokens are hidden.
    """
    reading = LabelledMap(weights, rows, columns)
    if words:
        reading = merge_words(reading, averaged=METHODS[method].words == "mean")
    return without_special(reading, renormalise=METHODS[method].shares) if hide_special else reading


def shifted_rows(trace: AttentionTrace, shift: Shift) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    """Labels of the rows of cross-attention, and what each row has to do besides.

    ``written`` names a row after the token that its step writes, ``read`` after the one that it has just
    read; the other one comes second. Alignments often look one row off because both are in the same row.
    """
    return (trace.tgt_outputs, trace.tgt_inputs) if shift == "written" else (trace.tgt_inputs, trace.tgt_outputs)


def token_rows(maps: np.ndarray, trace: AttentionTrace, shift: Shift) -> tuple[np.ndarray, tuple[Label, ...]]:
    """The row that stands for each target token: of maps [..., T, S] as many rows as there are labels.

    ``written``: the step that writes it, <eos> last. ``read``: the step that has just read it; nobody
    reads <eos>, and <bos> is left out.
    """
    return (maps, trace.tgt_outputs) if shift == "written" else (maps[..., 1:, :], trace.tgt_inputs[1:])


def written_probabilities(
    translation: TracedTranslation, words: bool, hide_special: bool, shift: Shift = "written"
) -> list[float]:
    """Probability of each token that ``token_rows`` names, read as ``read`` reads rows.

    Of a merged word it is the product over its pieces; of an <eos> that was never reached, 0.
    """
    if translation.trace is None:
        raise ValueError("the translation was made without its trace")
    labels = translation.trace.tgt_outputs if shift == "written" else translation.trace.tgt_inputs[1:]
    log_probs = np.full(len(labels), -np.inf)
    known = translation.log_probs[: len(labels)]
    log_probs[: len(known)] = known
    return [float(np.exp(log_probs[group].sum())) for group in shown_groups(labels, words, hide_special)]


def shown_groups(labels: Sequence[Label], words: bool, hide_special: bool) -> list[list[int]]:
    """Which tokens each row that ``read`` leaves stands for, by their places."""
    groups = _word_groups(labels) if words else [[index] for index in range(len(labels))]
    return [group for group in groups if not (hide_special and labels[group[0]].is_special)]


def words_of(labels: Sequence[Label]) -> tuple[tuple[Label, ...], list[list[int]]]:
    """The words that tokens make up, one label each, and the places of each word's tokens; a special token is its own.

    >>> words_of([Label("un", 0, 0, 2), Label("##do", 0, 2, 4), Label("<eos>")])[1]
    [[0, 1], [2]]
    """
    groups = _word_groups(labels)
    return _merged(labels, groups), groups


def merge_words(reading: LabelledMap, averaged: bool = False) -> LabelledMap:
    """Pieces merged into words: weights on a word's pieces add up; a word's rows are averaged.

    So every row still sums to what it did (Clark et al. 2019, section 4.1). With ``averaged`` a word's
    columns are averaged too.
    """
    reading, groups = merge_columns(reading, averaged), _word_groups(reading.rows)
    sizes = np.array([len(group) for group in groups], dtype=reading.weights.dtype)
    weights = np.add.reduceat(reading.weights, [group[0] for group in groups], axis=-2) / sizes[:, None]
    return LabelledMap(weights, _merged(reading.rows, groups), reading.columns)


def merge_columns(reading: LabelledMap, averaged: bool = False) -> LabelledMap:
    """Key pieces merged into words, whose weights add up, or are averaged; the rows stay pieces."""
    groups = _word_groups(reading.columns)
    weights = np.add.reduceat(reading.weights, [group[0] for group in groups], axis=-1)
    if averaged:
        weights = weights / np.array([len(group) for group in groups], dtype=weights.dtype)
    return LabelledMap(weights, reading.rows, _merged(reading.columns, groups))


def without_special(reading: LabelledMap, renormalise: bool = True) -> LabelledMap:
    """The map without rows and columns of special tokens, each row divided by what is left of it.

    A row that attends to special tokens alone stays zero. Without ``renormalise`` nothing is divided.
    """
    rows = [index for index, label in enumerate(reading.rows) if not label.is_special]
    columns = [index for index, label in enumerate(reading.columns) if not label.is_special]
    weights = reading.weights[..., rows, :][..., columns]
    if renormalise:
        total = weights.sum(axis=-1, keepdims=True)
        weights = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return LabelledMap(weights, tuple(reading.rows[i] for i in rows), tuple(reading.columns[i] for i in columns))


def combine(maps: np.ndarray, how: str, importance: np.ndarray | None = None) -> np.ndarray:
    """Several heads' maps [N, query, key] as one.

    Args:
        maps: of the heads to combine.
        how: "mean"; "max", the value furthest from 0 in each cell; "importance", the mean weighted by
            what each head is worth. A head that is worth nothing, or less, has no part in it; where
            that is so for all of them, the plain mean is taken.
        importance: of each head, [N]; for "importance" only.

    Raises:
        ValueError: ``how`` is none of these, there is no map, or importance is missing or does not fit.
    """
    if how not in COMBINATIONS:
        raise ValueError(f"combination must be one of {', '.join(COMBINATIONS)}, got {how!r}")
    if not len(maps):
        raise ValueError("there is no map to combine")
    if how == "max":
        found: np.ndarray = np.take_along_axis(maps, np.abs(maps).argmax(0)[None], axis=0)[0]
        return found
    if how == "mean":
        result: np.ndarray = maps.mean(axis=0)
        return result
    if importance is None or importance.shape != maps.shape[:1]:
        raise ValueError(f"{len(maps)} maps need as many importances, got {getattr(importance, 'shape', None)}")
    worth = np.maximum(importance, 0.0).astype(maps.dtype)
    shares = worth / worth.sum() if worth.sum() > 0 else np.full(len(maps), 1 / len(maps), maps.dtype)
    return np.tensordot(shares, maps, axes=1)


def row_entropy(weights: np.ndarray) -> np.ndarray:
    """Entropy of each row of weights [..., Q, K], in nats: [..., Q]; a weight of 0 adds nothing."""
    found: np.ndarray = -(weights * np.log(np.where(weights > 0, weights, 1))).sum(-1)
    return found


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
