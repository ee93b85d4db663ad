"""Alignment error rate of every cross-attention head, layer and all layers, by method, row rule and rule of links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from model.analysis.alignment.gold import RULES, GoldPair, argmax_links, diagonal_links
from model.analysis.alignment.word_maps import ALIGN_METHODS, ALL, Place, pair_maps, places
from model.attribution.methods import SHIFTS, MethodName
from model.pairs import PairArrays, PairScores

if TYPE_CHECKING:
    from model.source import Source

RESAMPLES, SEED = 1000, 20


@dataclass
class ErrorTable:
    """Running counts of links over sentence pairs; arrays are [rule, shift, method, place] unless said otherwise."""

    # n_layers, n_heads: of the decoder
    n_layers: int
    n_heads: int
    methods: Sequence[MethodName] = ALIGN_METHODS  # what the maps are made of
    found: np.ndarray = field(init=False)  # links made
    hits: np.ndarray = field(init=False)  # links made that are sure, plus links made that are sure or possible
    sure: int = 0  # sure links of the gold, one number
    # found, hits, of the diagonal guess; see ``diagonal_links``
    diagonal: list[int] = field(default_factory=lambda: [0, 0])
    # links found, hits and sure links of each pair counted, in order
    by_pair: list[tuple[np.ndarray, np.ndarray, int]] = field(default_factory=list)
    # of each pair and way of drawing, how many linked target words have their strongest source word of all layers, in
    # the row that writes them, among their links; and how many linked words there are: [D + 1]
    right: list[np.ndarray] = field(default_factory=list)
    refused: dict[int, str] = field(default_factory=dict)  # by line number, why a pair was left out

    def __post_init__(self) -> None:
        shape = (len(RULES), len(SHIFTS), len(self.methods), len(self.places))
        self.found, self.hits = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)

    @property
    def places(self) -> list[Place]:
        """Names of the last axis."""
        return places(self.n_layers, self.n_heads)

    def counts(self, maps: np.ndarray, gold: GoldPair) -> PairArrays:
        """What is counted of one pair's links, made from its word maps [2, D, N, target words, source words]."""
        sure, possible = (_as_map(links, gold) for links in (gold.sure, gold.possible))
        found, hits = np.zeros_like(self.found), np.zeros_like(self.hits)
        marked = maps.any((-2, -1))  # a sort of the whole model marks nothing by head
        for rule, make in enumerate(RULES.values()):
            links = np.zeros(maps.shape, dtype=bool)
            links[marked] = make(maps[marked])
            found[rule] = links.sum((-2, -1))
            hits[rule] = (links & sure).sum((-2, -1)) + (links & possible).sum((-2, -1))
        answers = argmax_links(maps[SHIFTS.index("written"), :, -1])
        guess = diagonal_links(len(gold.src_words), len(gold.tgt_words))
        return {
            "found": found,
            "hits": hits,
            "sure": np.array(len(gold.sure)),
            "right": np.array([*(answers & possible).any(-1).sum(-1), possible.any(-1).sum()]),
            "diagonal": np.array([len(guess), len(guess & gold.sure) + len(guess & gold.possible)]),
        }

    def add(self, maps: np.ndarray, gold: GoldPair) -> None:
        """Count one pair's links, made from its word maps [2, D, N, target words, source words]."""
        self.add_counts(self.counts(maps, gold))

    def add_counts(self, counts: PairArrays) -> None:
        """Add what was counted of one pair, by ``counts``."""
        self.found += counts["found"]
        self.hits += counts["hits"]
        self.right.append(counts["right"])
        self.diagonal[0] += int(counts["diagonal"][0])
        self.diagonal[1] += int(counts["diagonal"][1])
        self.sure += int(counts["sure"])
        self.by_pair.append((counts["found"], counts["hits"], int(counts["sure"])))

    @property
    def pairs(self) -> int:
        """Sentence pairs counted."""
        return len(self.by_pair)

    @property
    def rates(self) -> np.ndarray:
        """AER in [0, 1] by rule, shift, method, place; see ``gold.error_rate``."""
        return rates(self.found, self.hits, self.sure)

    @property
    def diagonal_rate(self) -> float:
        """AER of the diagonal guess, in [0, 1]."""
        return 1 - self.diagonal[1] / (self.diagonal[0] + self.sure)

    def best(self, single: bool = False) -> dict[str, Any]:
        """The setting with the lowest error rate over all pairs, as JSON-ready values; see ``lowest``."""
        place = self.lowest(self.rates, single)
        return {**self.named(place), "aer": round(100 * float(self.rates[place]), 2)}

    def best_of_one_head(self) -> dict[str, Any]:
        """As ``best``, among single heads with any map and any rule: what one head is worth at its best."""
        alone = np.array([head != ALL for _, head in self.places])
        place = self.lowest(np.where(alone, self.rates, np.inf))
        return {**self.named(place), "aer": round(100 * float(self.rates[place]), 2)}

    def lowest(self, rates: np.ndarray, single: bool = False) -> tuple[int, ...]:
        """Place of the lowest rate: rule, shift, method, place.

        Args:
            rates: [rule, shift, method, place].
            single: among single heads only, by their weights, each target word linked to its argmax.
        """
        if single:
            allowed = np.array([head != ALL for _, head in self.places])
            rates = np.where(allowed, rates, np.inf)
            rates[1:], rates[:, :, 1:] = np.inf, np.inf  # weights come first
        return tuple(int(index) for index in np.unravel_index(int(rates.argmin()), rates.shape))

    def named(self, at: tuple[int, ...]) -> dict[str, Any]:
        """The setting at rule, shift, method, place, as JSON-ready values."""
        rule, shift, method, place = at
        layer, head = self.places[place]
        return {
            "kind": "cross",
            "layer": layer,
            "head": head,
            "method": self.methods[method],
            "shift": SHIFTS[shift],
            "links": list(RULES)[rule],
        }

    def answers(self) -> dict[str, Any]:
        """How often each sort of map's strongest word is a linked one, in percent of the linked target words.

        With the 95 % interval, by drawing pairs with replacement.
        """
        counts = np.stack(self.right)
        draws = np.random.default_rng(SEED).integers(len(counts), size=(RESAMPLES, len(counts)))
        again = counts[draws].sum(1)
        shares = 100 * again[:, :-1] / np.maximum(again[:, -1:], 1)
        low, high = np.quantile(shares, (0.025, 0.975), axis=0).round(1).tolist()
        percents = (100 * counts[:, :-1].sum(0) / max(int(counts[:, -1].sum()), 1)).round(1).tolist()
        words = int(counts[:, -1].sum())
        return {
            name: {"percent": percents[n], "interval": [low[n], high[n]], "words": words}
            for n, name in enumerate(self.methods)
        }

    def percents(self) -> dict[str, Any]:
        """AER in percent by rule, method, shift: {"layers": one row a layer, heads then "all"; "all": one number}."""
        table: dict[str, Any] = {}
        for rule, by_shift in zip(RULES, 100 * self.rates, strict=True):
            table[rule] = {method: {} for method in self.methods}
            for shift, by_method in zip(SHIFTS, by_shift, strict=True):
                for method, rates in zip(self.methods, by_method, strict=True):
                    rows = np.round(rates[:-1].reshape(self.n_layers, -1), 2).tolist()
                    table[rule][method][shift] = {"layers": rows, ALL: round(float(rates[-1]), 2)}
        return table


def rates(found: np.ndarray, hits: np.ndarray, sure: np.ndarray | int) -> np.ndarray:
    """AER in [0, 1] from counts of one shape; 1 where there is nothing to find and nothing was found."""
    total = np.asarray(found + sure)
    result: np.ndarray = 1 - np.divide(hits, total, out=np.ones(total.shape), where=total > 0)
    return result


def _as_map(links: frozenset[tuple[int, int]], gold: GoldPair) -> np.ndarray:
    found = np.zeros((len(gold.tgt_words), len(gold.src_words)), dtype=bool)
    for src, tgt in links:
        found[tgt, src] = True
    return found


def score_links(model: Source, pair: GoldPair) -> PairArrays:
    """What is counted of one pair.

    Raises:
        HeadlightError: the model cannot read it, or its tokens do not fit its words.
    """
    return _empty(model).counts(pair_maps(model, pair), pair)


def table_of(model: Source, found: PairScores) -> ErrorTable:
    """The table of what was counted of pairs.

    Raises:
        CorpusError: no pair could be aligned.
    """
    table = _empty(model)
    for counts in found.all():
        table.add_counts(counts)
    table.refused = found.refused
    return table


def _empty(model: Source) -> ErrorTable:
    return ErrorTable(model.anatomy.kinds["cross"].layers, model.anatomy.kinds["cross"].heads)
