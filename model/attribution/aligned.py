"""Two sequences of tokens beside each other: which token has which partner, and rows brought onto common columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from model.passage import Places
from model.trace import Label


def aligned_places(before: Sequence[str], after: Sequence[str]) -> Places:
    """Partners of two sequences of tokens: equal, or one exchanged for the other; what was put in or out has none.

    By the fewest insertions, deletions and exchanges (Levenshtein 1966; Wagner and Fischer 1974).

    >>> aligned_places(["I", "love", "you"], ["I", "really", "love", "me"])
    ((0, 0), (1, 2), (2, 3))
    """
    cost = np.add.outer(np.arange(len(before) + 1), np.arange(len(after) + 1))
    for here, one in enumerate(before, 1):
        for there, other in enumerate(after, 1):
            near = cost[here - 1, there - 1] + (one != other)
            cost[here, there] = min(near, cost[here - 1, there] + 1, cost[here, there - 1] + 1)
    pairs, here, there = [], len(before), len(after)
    while here and there:
        if cost[here, there] == cost[here - 1, there - 1] + (before[here - 1] != after[there - 1]):
            here, there = here - 1, there - 1
            pairs.append((here, there))
        elif cost[here, there] == cost[here - 1, there] + 1:
            here -= 1
        else:
            there -= 1
    return tuple(reversed(pairs))


def changed_places(before: Sequence[str], after: Sequence[str], pairs: Places) -> tuple[set[int], set[int]]:
    """Places on either side that have no partner, or another token for one."""
    same = [(here, there) for here, there in pairs if before[here] == after[there]]
    kept = [{pair[side] for pair in same} for side in (0, 1)]
    return set(range(len(before))) - kept[0], set(range(len(after))) - kept[1]


def on_common(weights: np.ndarray, columns: Sequence[int]) -> np.ndarray:
    """Weights [..., K] on the columns that have a partner, and the rest of each row as one more: [..., C + 1]."""
    shared = weights[..., list(columns)]
    rest = weights.sum(-1, keepdims=True) - shared.sum(-1, keepdims=True)
    return np.concatenate((shared, rest.clip(0)), -1)


def difference(one: np.ndarray, other: np.ndarray, rows: Places, columns: Places) -> np.ndarray:
    """The second of two maps less the first, where rows and columns are partners: [..., R, C] of [..., Q, K]."""
    sides = []
    for side, weights in enumerate((one, other)):
        down, across = ([pair[side] for pair in pairs] for pairs in (rows, columns))
        sides.append(weights[..., down, :][..., across])
    found: np.ndarray = sides[1] - sides[0]
    return found


def divergence(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Jensen–Shannon divergence in bits of distributions [..., K] (Lin 1991, with equal weights): [...], 0 to 1."""
    found: np.ndarray = (_bits((one + other) / 2) - (_bits(one) + _bits(other)) / 2).clip(0, 1)
    return found


def common_groups(one: Sequence[Label], other: Sequence[Label]) -> tuple[list[list[int]], list[list[int]]]:
    """Tokens of one text, cut in two ways, as the shortest stretches that both have whole: places of either side.

    Special tokens belong to no stretch.
    """
    ends = [{label.end for label in labels if not label.is_special} for labels in (one, other)]
    cuts = sorted(ends[0] & ends[1])
    return _grouped(one, cuts), _grouped(other, cuts)


def grouped(weights: np.ndarray, rows: list[list[int]], columns: list[list[int]]) -> np.ndarray:
    """Weights [..., Q, K] over stretches: columns add up, rows are averaged, each divided by what is left of it."""
    across = np.stack([weights[..., group].sum(-1) for group in columns], -1)
    found = np.stack([across[..., group, :].mean(-2) for group in rows], -2)
    total = found.sum(-1, keepdims=True)
    result: np.ndarray = np.divide(found, total, out=np.full_like(found, 1 / len(columns)), where=total > 0)
    return result


def _grouped(labels: Sequence[Label], cuts: Sequence[int]) -> list[list[int]]:
    groups: list[list[int]] = [[] for _ in cuts]
    for place, label in enumerate(labels):
        if not label.is_special and cuts and label.end <= cuts[-1]:
            groups[int(np.searchsorted(cuts, label.end))].append(place)
    return [group for group in groups if group]


def _bits(weights: np.ndarray) -> np.ndarray:
    """Entropy of each row."""
    found: np.ndarray = -(weights * np.log2(np.maximum(weights, 1e-30))).sum(-1)
    return found
