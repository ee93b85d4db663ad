"""Attention as a soft dictionary: a query meets every key, and gets a mixture of their values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from model.analysis.lessons.scaling import softmax

ENTRIES = ("apple", "banana", "chair")
ENTRY_KEYS = np.array([[2.0, 0.0], [2.0 - np.log(1.5) / 4, 0.0], [-1.0, 2.0]])  # (fruit, furniture) of each word
ENTRY_VALUES = np.array([10.0, 5.0, 2.0])
FRUIT = (4.0, 0.0)  # the query whose weights are 0.6, 0.4 and almost nothing


@dataclass(frozen=True)
class Lookup:
    """What one query gets; float64.

    Attributes:
        scores: q · k, [K].
        weights: their softmax, [K].
        result: the weighted sum of the values, [] or [D].
    """

    scores: np.ndarray
    weights: np.ndarray
    result: np.ndarray


def look_up(query: np.ndarray, keys: np.ndarray = ENTRY_KEYS, values: np.ndarray = ENTRY_VALUES) -> Lookup:
    """What a query [D] gets from keys [K, D] and values [K] or [K, V].

    >>> found = look_up(np.array(FRUIT))
    >>> found.weights.round(3).tolist(), round(float(found.result), 2)
    ([0.6, 0.4, 0.0], 8.0)
    """
    scores = keys.astype(np.float64) @ query
    weights = softmax(scores)
    return Lookup(scores, weights, weights @ values)
