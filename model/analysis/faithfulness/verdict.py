"""Does deleting what a map marks cost more than deleting words at random? Map by map, with a verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Literal

import numpy as np

from model.analysis.faithfulness.deletion import LeftOut, deletion_costs
from model.source import Source
from model.trace import Translation

TrafficLight = Literal["green", "amber", "red", "short"]
LEVEL = 0.05  # green: at most this share of random choices costs as much
DRAWS = 1000  # random renamings of the words, where there are more than that
SETS = 30  # random sets of words, each of which needs the model
SHARE = 0.3  # of the words that are deleted together
_SEED = 20  # fixed, so that the same map always gets the same verdict
_EQUAL = 1e-6  # nats; costs that are closer are the same


@dataclass(frozen=True)
class Honesty:
    """What deleting a map's top words costs, and what random choices of as many words cost."""

    cost: float  # of the map's own choice, in nats
    random: np.ndarray  # of the random choices, in nats, sorted, [N]
    best: float  # of the most costly choice there is; not known (NaN) where words are deleted together
    deleted: int  # number of words that go at once
    is_exact: bool  # ``random`` holds every possible choice, the map's own among them

    @property
    def median(self) -> float:
        """Cost of a middling random choice, in nats; 0 where there is none."""
        return float(np.median(self.random)) if self.random.size else 0.0

    @property
    def beaten(self) -> float:
        """Share of the random choices that cost less than the map's."""
        return float((self.random < self.cost - _EQUAL).mean()) if self.random.size else 0.0

    @property
    def p_value(self) -> float:
        """Share of choices, the map's own counted, that cost at least as much as the map's."""
        return float(_p_values(np.array(self.cost), self.random, self.is_exact))

    @property
    def can_tell(self) -> bool:
        """False where even the best choice could not be told from a random one."""
        return self.random.size >= 1 / LEVEL

    @property
    def verdict(self) -> TrafficLight:
        """Green: 95 % or more of the random choices cost less. Red: half of them or fewer do. Amber between."""
        if not self.can_tell:
            return "short"
        return _verdict(self.cost, self.p_value, self.median)


@dataclass(frozen=True)
class HonestHeads:
    """The same for every head at once: cost in nats a token, share of random choices beaten, and verdict, [L, H]."""

    cost: np.ndarray
    beaten: np.ndarray
    verdict: np.ndarray

    def order(self) -> list[tuple[int, int]]:
        """Heads as (layer, head), the most costly choice first."""
        places = np.argsort(-self.cost, axis=None, kind="stable")
        return [(int(place) // self.cost.shape[1], int(place) % self.cost.shape[1]) for place in places]


def honesty(left_out: LeftOut, rows: np.ndarray) -> Honesty:
    """Honesty of a map row by row: for each output token, its row's top word is deleted.

    The cost is the mean over the tokens of what each token's own log-probability loses, in nats a
    token. A random choice is the same map with its words renamed at random, by one renaming for all
    rows: a map that stares at one word everywhere is compared with staring at another word
    everywhere, which is stricter than a fresh word for every row. All renamings of up to six words
    are counted, else 1000 are drawn with a fixed seed. Where several words are top, each counts in part.

    Args:
        left_out: costs [W, T].
        rows: the map by words, one row an output token, [T', W]; rows and tokens beyond the shorter
            of both have no part in it.

    Raises:
        ValueError: the rows have not W columns.
    """
    cost, random = _costs(left_out, rows)
    return Honesty(float(cost), np.sort(random), _best(left_out, len(rows)), 1, _is_exact(len(left_out.words)))


def honesty_of_all(left_out: LeftOut, maps: np.ndarray) -> HonestHeads:
    """``honesty`` of every head: maps by words [L, H, T', W].

    Raises:
        ValueError: the maps have not W columns.
    """
    cost, random = _costs(left_out, maps)
    exact, tells = _is_exact(len(left_out.words)), random.shape[-1] >= 1 / LEVEL
    p_values, medians = _p_values(cost, random, exact), np.median(random, axis=-1) if tells else cost
    verdicts = [
        _verdict(*each) if tells else "short"
        for each in zip(cost.ravel(), p_values.ravel(), medians.ravel(), strict=True)
    ]
    beaten = (random < cost[..., None] - _EQUAL).mean(-1) if tells else np.zeros_like(cost)
    return HonestHeads(cost, beaten, np.array(verdicts).reshape(cost.shape))


def honesty_of_words(
    model: Source, translation: Translation, importance: np.ndarray, token: int | None = None
) -> Honesty:
    """Honesty of one importance a source word, [W]: the top 30 % of the words are deleted together.

    For maps without a row for each output token, such as the encoder's, whose importance is how much
    each word is attended to. All sets of as many words are tried, or 30 distinct ones drawn with a
    fixed seed, in one batch.

    Args:
        importance: of each source word, [W].
        token: the cost is what this written token's log-probability loses; None: the whole translation's.

    Raises:
        IndexError: there is no such token.
        ValueError: there is not one importance a word.
        EmptySentenceError, SentenceTooLongError: as ``Translator.translate``.
    """
    n_words = len(importance)
    k = max(1, round(SHARE * n_words))
    own = np.zeros((1, n_words), dtype=bool)
    own[0, np.argsort(-importance, kind="stable")[:k]] = True
    others, exact = _sets(n_words, k)
    if len(others) < 1 / LEVEL:
        return Honesty(0.0, np.zeros(len(others)), math.nan, k, exact)
    costs = deletion_costs(model, translation, np.concatenate((own, others)))
    costs = costs.sum(axis=1) if token is None else costs[:, token]
    return Honesty(float(costs[0]), np.sort(costs[1:]), math.nan, k, exact)


def diagonal_map(n_rows: int, n_words: int) -> np.ndarray:
    """A map that has read nothing: row t marks the word at the same part of the sentence, float [T, W]."""
    at = np.linspace(0, n_words - 1, n_rows).round().astype(int)
    found: np.ndarray = np.eye(n_words)[at]
    return found


def top_words(rows: np.ndarray) -> np.ndarray:
    """Each row's top word as shares [..., T, W] that sum to 1; words that are equally top share it."""
    top = rows == rows.max(axis=-1, keepdims=True)
    found: np.ndarray = top / top.sum(axis=-1, keepdims=True)
    return found


def _costs(left_out: LeftOut, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean cost [...] of maps [..., T', W], in nats a token, and of their renamings [..., N]."""
    n_words, n_tokens = left_out.costs.shape
    if rows.shape[-1] != n_words:
        raise ValueError(f"maps have shape {rows.shape}, but the source has {n_words} words")
    n = min(rows.shape[-2], n_tokens)
    if not n or not n_words:
        return np.zeros(rows.shape[:-2]), np.zeros((*rows.shape[:-2], 0))
    chosen = top_words(rows[..., :n, :].astype(np.float64))
    worth = np.swapaxes(chosen, -1, -2) @ left_out.costs[:, :n].T.astype(np.float64) / n  # [..., W, W]
    renamed = worth[..., np.arange(n_words), _renamings(n_words)].sum(-1)
    return np.trace(worth, axis1=-2, axis2=-1), renamed


def _best(left_out: LeftOut, n_rows: int) -> float:
    costs = left_out.costs[:, : min(n_rows, left_out.costs.shape[1])]
    return float(costs.max(axis=0).mean()) if costs.size else 0.0


def _is_exact(n_words: int) -> bool:
    return math.factorial(n_words) <= DRAWS


def _renamings(n_words: int) -> np.ndarray:
    """Permutations of the words, [N, W]."""
    if _is_exact(n_words):
        return np.array(list(permutations(range(n_words))))
    generator = np.random.default_rng(_SEED)
    return generator.permuted(np.tile(np.arange(n_words), (DRAWS, 1)), axis=1)


def _sets(n_words: int, k: int) -> tuple[np.ndarray, bool]:
    """Sets of k words, bool [N, W], and whether they are all there are."""
    if exact := math.comb(n_words, k) <= SETS:
        found = list(combinations(range(n_words), k))
    else:
        generator, method = np.random.default_rng(_SEED), dict[tuple[int, ...], None]()
        while len(method) < SETS:
            method[tuple(sorted(generator.permutation(n_words)[:k].tolist()))] = None
        found = list(method)
    sets = np.zeros((len(found), n_words), dtype=bool)
    for row, places in enumerate(found):
        sets[row, list(places)] = True
    return sets, exact


def _p_values(cost: np.ndarray, random: np.ndarray, exact: bool) -> np.ndarray:
    as_costly = (random >= cost[..., None] - _EQUAL).sum(-1)
    found: np.ndarray = (
        as_costly / np.maximum(random.shape[-1], 1) if exact else (as_costly + 1) / (random.shape[-1] + 1)
    )
    return found


def _verdict(cost: float, p_value: float, median: float) -> TrafficLight:
    if p_value <= LEVEL:
        return "green"
    return "amber" if cost > median + _EQUAL else "red"
