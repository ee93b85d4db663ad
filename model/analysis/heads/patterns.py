"""Find a head: how well maps match a pattern, and which heads are alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from model.attribution.labelled_map import row_entropy
from model.trace import AttentionTrace, Kind, Label, may_attend

PATTERNS = ("diagonal", "anti_diagonal", "previous", "next", "first", "last", "uniform")
GRID = 8  # side of a painted pattern


def template(name: str, rows: Sequence[bool] | np.ndarray, columns: Sequence[bool]) -> np.ndarray:
    """A named pattern for a map of this size, 0 to 1, [Q, K]; all zero for "uniform", which ``match`` treats apart.

    =============  =================================================================================
    diagonal       from the first to the last word; between two columns where there are not as many
                   columns as rows
    anti_diagonal  the same from the last column to the first
    previous       one column left of the diagonal; next: one right of it
    first, last    the first and the last column, special tokens included
    =============  =================================================================================

    Args:
        rows, columns: which of them are special tokens; lines run through the words alone, and the rows
            of special tokens are empty.

    Raises:
        ValueError: there is no such pattern.
    """
    if name not in PATTERNS:
        raise ValueError(f"pattern must be one of {', '.join(PATTERNS)}, got {name!r}")
    method = np.zeros((len(rows), len(columns)))
    own, keys = np.flatnonzero(~np.array(rows, bool)), np.flatnonzero(~np.array(columns, bool))
    if name == "uniform" or not len(own) or not len(columns):
        return method
    if name in ("first", "last"):
        method[own, 0 if name == "first" else -1] = 1
        return method
    if not len(keys):
        return method
    line = np.linspace(0, len(keys) - 1, len(own)) if len(own) > 1 else np.array([(len(keys) - 1) / 2])
    line = line[::-1] if name == "anti_diagonal" else line + {"previous": -1, "next": 1}.get(name, 0)
    near = 1 - np.abs(line[:, None] - np.arange(-1, len(keys) + 1))  # a column more on either side
    inside = np.maximum(near, 0)[:, 1:-1]
    method[np.ix_(own, keys)] = inside
    if name == "next" and keys[-1] + 1 < len(columns):  # the token after the last word is <eos>
        method[own, keys[-1] + 1] = np.maximum(near, 0)[:, -1]
    if name == "previous" and keys[0] > 0:
        method[own, keys[0] - 1] = np.maximum(near, 0)[:, 0]
    return method


def resampled(painted: np.ndarray, n_rows: int, n_columns: int) -> np.ndarray:
    """A painted pattern [G, G] stretched over a map: each cell the mean of the paint under it, [Q, K]."""
    down, across = _overlaps(n_rows, painted.shape[0]), _overlaps(n_columns, painted.shape[1])
    found: np.ndarray = down @ painted @ across.T
    return found


def visible(kind: Kind, maps: np.ndarray) -> np.ndarray:
    """Which keys each row of a kind's maps [..., Q, K] may attend to, as far as a pattern is concerned: bool [Q, K].

    What one of the maps attends to is among them: the parts of a picture may see each other both ways.
    """
    found: np.ndarray = may_attend(kind, maps.shape) | (maps != 0).reshape(-1, *maps.shape[-2:]).any(0)
    return found


def match(maps: np.ndarray, pattern: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """How far maps do what a pattern says: 1 at best, 0 for even attention, less where they avoid it.

    Weight on the pattern, beyond what even attention would put there, as a part of the most that any
    map could: Σ (Σ_k α m − mean m) / Σ (max m − mean m), summed over rows; mean and max go over the keys
    that the row may see. This is agreement corrected for chance, as in Cohen's kappa (Cohen 1960).

    Args:
        maps: weights [..., Q, K].
        pattern: m, 0 to 1, [Q, K]; empty rows do not count.
        seen: which keys each row may see, bool [Q, K].

    Returns:
        [...]; 0 where the pattern allows nothing better than even attention.
    """
    paint = np.where(seen, pattern, 0.0)
    chance = paint.sum(-1) / np.maximum(seen.sum(-1), 1)
    best = float((paint.max(-1, initial=0.0) - chance).sum())
    got = (maps * paint).sum((-1, -2)) - float(chance.sum())
    return got / best if best > 1e-9 else np.zeros(maps.shape[:-2])


def evenness(maps: np.ndarray, seen: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Match with the pattern "uniform": mean entropy of a row as a part of the largest possible.

    Args:
        maps: weights [..., Q, K].
        seen: which keys each row may see, bool [Q, K]; rows that see one key do not count.
        rows: which rows count, bool [Q].

    Returns:
        [...], 1 for even attention, 0 where each row looks at one key; 0 where no row counts.
    """
    counts = rows & (seen.sum(-1) > 1)
    if not counts.any():
        return np.zeros(maps.shape[:-2])
    weights = maps[..., counts, :]
    found: np.ndarray = (row_entropy(weights) / np.log(seen.sum(-1)[counts])).mean(-1)
    return found


def match_named(maps: np.ndarray, name: str, kind: Kind, rows: Sequence[Label], columns: Sequence[Label]) -> np.ndarray:
    """``match`` with a named pattern, or ``evenness`` for "uniform": maps [..., Q, K] → [...].

    0 where most rows may not see their part of the pattern: nobody sees the next token before writing it.

    Raises:
        ValueError: there is no such pattern.
    """
    own = ~np.array([label.is_special for label in rows], bool)
    seen = visible(kind, maps)
    if name == "uniform":
        return evenness(maps, seen, own)
    method = template(name, ~own, [label.is_special for label in columns])
    possible = (np.where(seen, method, 0) > 0).any(-1)
    return match(maps, method, seen) if 2 * possible.sum() > own.sum() else np.zeros(maps.shape[:-2])


def match_painted(
    maps: np.ndarray, painted: np.ndarray, kind: Kind, rows: Sequence[Label], columns: Sequence[Label]
) -> np.ndarray:
    """``match`` with a painted pattern [G, G] stretched over a map: maps [..., Q, K] → [...].

    It is stretched over the whole map, and over its words alone, without <bos> and <eos>; what matches
    better counts, since nobody who paints a line says where the special tokens are.
    """
    seen = visible(kind, maps)
    whole = resampled(painted, len(rows), len(columns))
    own = np.flatnonzero([not label.is_special for label in rows])
    keys = np.flatnonzero([not label.is_special for label in columns])
    inside = np.zeros_like(whole)
    inside[np.ix_(own, keys)] = resampled(painted, len(own), len(keys))
    found: np.ndarray = np.maximum(match(maps, whole, seen), match(maps, inside, seen))
    return found


def pattern_scores(trace: AttentionTrace, kind: Kind, name: str) -> np.ndarray:
    """``match_named`` for every head of a kind, [L, H]; a row of cross-attention belongs to what it writes."""
    return match_named(trace.weights[kind], name, kind, *_labels(trace, kind))


def stored_matches(traces: Sequence[AttentionTrace], name: str, painted: np.ndarray) -> dict[Kind, np.ndarray]:
    """Mean match of every head over several sentences, [L, H] by kind.

    Args:
        traces: at least one.
        name: a named pattern; any other name stands for the painted one.
        painted: [G, G].
    """
    found: dict[Kind, np.ndarray] = {}
    for kind in traces[0].kinds:
        if name in PATTERNS:
            scores = [pattern_scores(trace, kind, name) for trace in traces]
        else:
            scores = [match_painted(trace.weights[kind], painted, kind, *_labels(trace, kind)) for trace in traces]
        found[kind] = np.mean(scores, axis=0)
    return found


def stored_likeness(traces: Sequence[AttentionTrace], kind: Kind, layer: int, head: int) -> np.ndarray:
    """Mean of ``alike`` over several sentences for every head of a kind, [L, H]."""
    found: np.ndarray = np.mean(
        [alike(trace.weights[kind], trace.weights[kind][layer, head]) for trace in traces], axis=0
    )
    return found


def alike(maps: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """How alike maps are to a chosen one, 0 to 1: one minus the Jensen-Shannon divergence in bits, mean over rows.

    The divergence (Lin 1991, with equal weights) of two rows is 0 where they are equal and 1
    where they share no key. Rows that see one key only are left out where others are not.

    Args:
        maps: weights [..., Q, K].
        chosen: weights [Q, K].

    Returns:
        [...].
    """
    rows = (maps.reshape(-1, *chosen.shape) > 0).any(0).sum(-1) > 1
    if rows.any():
        maps, chosen = maps[..., rows, :], chosen[rows]
    middle = (maps + chosen) / 2
    divergence = _bits(middle) - (_bits(maps) + _bits(chosen)) / 2
    found: np.ndarray = 1 - divergence.mean(-1).clip(0, 1)
    return found


def _labels(trace: AttentionTrace, kind: Kind) -> tuple[Sequence[Label], Sequence[Label]]:
    rows, columns = trace.axis_labels(kind)
    return trace.tgt_outputs if kind == "cross" else rows, columns


def _bits(weights: np.ndarray) -> np.ndarray:
    """Entropy of each row."""
    found: np.ndarray = -(weights * np.log2(np.maximum(weights, 1e-30))).sum(-1)
    return found


def _overlaps(n: int, side: int) -> np.ndarray:
    """Share of each of ``n`` equal stretches of an axis that lies in each of ``side`` ones: [n, side]."""
    begin, start = np.arange(n)[:, None] / n, np.arange(side) / side
    overlap = np.minimum(begin + 1 / n, start + 1 / side) - np.maximum(begin, start)
    found: np.ndarray = np.maximum(overlap, 0) * n
    return found
