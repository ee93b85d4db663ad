"""Why scores are divided by √d_k: the experiment behind section 3.2.1 of Vaswani et al. 2017, in numpy alone.

"We suspect that for large values of d_k, the dot products grow large in magnitude, pushing the softmax
function into regions where it has extremely small gradients."
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

SIZES = (2, 4, 8, 16, 32, 64, 128, 256, 512)
SAMPLES = 2000
KEYS = 10
SURE = 0.99  # a row with a larger weight is called saturated
STEEPEST = 5  # one row in so many is called steep
SEED = 0


@dataclass(frozen=True)
class Growth:
    """What random queries and keys give as d_k grows; one entry a size, float64."""

    sizes: np.ndarray  # d_k
    variance: tuple[np.ndarray, np.ndarray]  # of q · k, and of q · k / √d_k
    # mean largest weight of a softmax over KEYS keys, without and with the division
    largest: tuple[np.ndarray, np.ndarray]
    # median norm of the gradient that this softmax hands on to q · k, without and with the division. Where scores are
    # divided by √d_k, the chain rule divides it by √d_k once more. The median, since without the division most rows
    # have hardly any and a few have nearly all of it.
    gradient: tuple[np.ndarray, np.ndarray]
    saturated: tuple[np.ndarray, np.ndarray]  # share of rows with a weight above SURE, without and with the division
    # share of all rows' gradient that the steepest one in STEEPEST has, without and with the division
    steep: tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Saturation:
    """Softmax of [a, a, 2a] as a grows, without and with the division by √d_k; float64."""

    a: np.ndarray  # [N]
    weights: tuple[np.ndarray, np.ndarray]  # softmax, [N, 3] each
    gradient: tuple[np.ndarray, np.ndarray]  # norm of the gradient that it hands on to q · k, [N] each; see ``Growth``


def growth(sizes: Sequence[int] = SIZES, samples: int = SAMPLES, keys: int = KEYS, seed: int = SEED) -> Growth:
    """Dot products of random vectors, and what softmax makes of them.

    Components of q and k are independent, with mean 0 and variance 1; then q · k has mean 0 and
    variance d_k, and q · k / √d_k has variance 1 (Vaswani et al. 2017, section 3.2.1, footnote 4).

    Args:
        sizes: the d_k to try.
        samples: queries drawn for each.
        keys: keys that each query meets.
        seed: of the random numbers; the same seed gives the same answer.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for size in sizes:
        query = rng.standard_normal((samples, 1, size), dtype=np.float32)
        key = rng.standard_normal((samples, keys, size), dtype=np.float32)
        dots = (key @ query.transpose(0, 2, 1))[..., 0].astype(np.float64)  # [samples, keys]
        rows.append([_measure(dots, divisor) for divisor in (1.0, np.sqrt(size))])
    table = np.array(rows)  # [sizes, without and with, measures]
    pairs = [(table[:, 0, measure], table[:, 1, measure]) for measure in range(table.shape[2])]
    return Growth(np.array(sizes), *pairs)


def saturation(a: np.ndarray, d_k: int) -> Saturation:
    """Softmax of the scores [a, a, 2a], as they are and divided by √d_k.

    The third weight is 1 / (1 + 2·exp(−a)): it nears 1, and the gradient 0, exponentially fast in a;
    the division holds both back (Vaswani et al. 2017, section 3.2.1).

    Args:
        a: [N].
        d_k: size of queries and keys.

    Raises:
        ValueError: d_k is not positive.
    """
    if d_k < 1:
        raise ValueError(f"d_k must be at least 1, got {d_k}")
    scores = np.stack([a, a, 2 * a], axis=-1).astype(np.float64)
    root = np.sqrt(d_k)
    weights = softmax(scores), softmax(scores / root)
    return Saturation(a, weights, (jacobian_norm(weights[0]), jacobian_norm(weights[1]) / root))


def softmax(scores: np.ndarray) -> np.ndarray:
    """Weights along the last axis, which sum to 1."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def jacobian(weights: np.ndarray) -> np.ndarray:
    """How each weight changes with each score: ∂w_i/∂s_j = w_i (δ_ij − w_j), [..., K, K]."""
    eye = np.eye(weights.shape[-1])
    return np.asarray(weights[..., :, None] * (eye - weights[..., None, :]))


def jacobian_norm(weights: np.ndarray) -> np.ndarray:
    """Frobenius norm of the softmax's Jacobian: 0 where one weight is 1, √(K − 1) / K where all are equal."""
    return np.asarray(np.sqrt((jacobian(weights) ** 2).sum(axis=(-2, -1))))


def _measure(dots: np.ndarray, divisor: float) -> tuple[float, ...]:
    """Of dots [samples, keys] over a divisor the measures of ``Growth``, in its order."""
    weights = softmax(dots / divisor)
    largest, slopes = weights.max(axis=-1), np.sort(jacobian_norm(weights) / divisor)
    steep = slopes[len(slopes) - len(slopes) // STEEPEST :].sum() / slopes.sum()
    measures = (dots / divisor).var(), largest.mean(), np.median(slopes), (largest > SURE).mean(), steep
    return tuple(map(float, measures))


@cache
def initial_variance(d_model: int = 256, d_k: int = 64, samples: int = 500, seed: int = SEED) -> tuple[float, float]:
    """Variance of q · k of an untrained head: with W_Q of variance 1 / d_model, and with 1 / (d_model · d_k), as T5.

    T5 starts W_Q smaller by √d_k and leaves the division out (Raffel et al. 2020; its published code).
    """
    rng = np.random.default_rng(seed)
    asked, found = rng.standard_normal((2, samples, d_model))
    query_matrix, key_matrix = rng.standard_normal((2, d_model, d_k)) / np.sqrt(d_model)
    dots = (asked @ query_matrix) @ (found @ key_matrix).T
    return float(dots.var()), float((dots / np.sqrt(d_k)).var())


@cache
def additive_variance(size: int, samples: int = SAMPLES, seed: int = SEED) -> float:
    """Variance of vᵀ tanh(q + k), the score of Bahdanau et al. 2015, where v has variance 1 / size: it stays."""
    rng = np.random.default_rng(seed)
    query, key, weight = rng.standard_normal((3, samples, size))
    return float((np.tanh(query + key) * weight).sum(-1).var() / size)


def output_slope(a: float, wanted: int = 0) -> float:
    """Norm of the gradient of −log p of one class in the logits [a, a, 2a], p − y: what the last softmax hands on.

    It is largest where the model is sure and wrong, so that no division is needed there.
    """
    return float(np.linalg.norm(softmax(np.array([a, a, 2 * a])) - np.eye(3)[wanted]))


ENTRIES = ("apple", "banana", "chair")
ENTRY_KEYS = np.array([[2.0, 0.0], [2.0 - np.log(1.5) / 4, 0.0], [-1.0, 2.0]])  # (fruit, furniture) of each word
ENTRY_VALUES = np.array([10.0, 5.0, 2.0])
FRUIT = (4.0, 0.0)  # the query whose weights are 0.6, 0.4 and almost nothing


@dataclass(frozen=True)
class Lookup:
    """What one query gets; float64."""

    scores: np.ndarray  # q · k, [K]
    weights: np.ndarray  # their softmax, [K]
    result: np.ndarray  # the weighted sum of the values, [] or [D]


def look_up(query: np.ndarray, keys: np.ndarray = ENTRY_KEYS, values: np.ndarray = ENTRY_VALUES) -> Lookup:
    """What a query [D] gets from keys [K, D] and values [K] or [K, V].

    >>> found = look_up(np.array(FRUIT))
    >>> found.weights.round(3).tolist(), round(float(found.result), 2)
    ([0.6, 0.4, 0.0], 8.0)
    """
    scores = keys.astype(np.float64) @ query
    weights = softmax(scores)
    return Lookup(scores, weights, weights @ values)
