"""One sentence beside a corpus: what each head does in it, and how usual that is for the head."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from model.analysis.atlas.batch import Traced, batch_of
from model.analysis.atlas.lines import Line
from model.analysis.atlas.tally import FARTHEST, LINES, SCALE, SENTENCE_MEASURES, SUMS, measure
from model.trace import AttentionTrace, Kind

RARE = 0.1  # share of sentences; what is as far out in fewer is unusual


class Usual(NamedTuple):
    """A measure of one head in one sentence, beside its sentences of a corpus."""

    measure: str  # one of SENTENCE_MEASURES
    value: float  # in this sentence
    # low, high: between which the middle nine tenths of the corpus lie, to a bin
    low: float
    high: float
    share: float  # of the corpus that lies at least as far out, on either side: 1 in the middle, 0 where none does


def sentence_measures(trace: AttentionTrace, kind: Kind, rarity: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """SENTENCE_MEASURES of every head of a kind in one sentence, [N] each; {} where no row counts."""
    batch = batch_of([Traced(Line("", "", 0), trace, rarity)], kind)
    tally = measure(batch).tally
    rows = int(tally["rows"])
    if not rows:
        return {}
    over = dict.fromkeys(SENTENCE_MEASURES, rows) | {"evenness": max(1, int(tally["choice"]))}
    found = {name: tally["sums"][place] / SCALE for place, name in enumerate(SUMS)}
    found |= {"previous": tally["lines"][LINES.index("-1")], "itself": tally["lines"][LINES.index("0")]}
    return {name: found[name] / over[name] for name in SENTENCE_MEASURES}


def usual(measured: Mapping[str, float], held: Mapping[str, Sequence[int]]) -> list[Usual]:
    """How usual each measure of a head is; what its page does not hold, or has no sentence, is left out.

    Args:
        measured: values of one head in one sentence, by measure.
        held: how many sentences of the corpus are in each bin, by measure, as a page has them under ``by``.
    """
    return [
        _usual(name, value, np.array(held[name])) for name, value in measured.items() if sum(held.get(name, ())) > 0
    ]


def _usual(name: str, value: float, held: np.ndarray) -> Usual:
    width = (FARTHEST if name == "distance" else 1.0) / len(held)
    place = min(len(held) - 1, max(0, int(value / width)))
    below, total = np.cumsum(held), int(held.sum())
    low = int(np.searchsorted(below, 0.05 * total, side="right"))
    high = min(int(np.searchsorted(below, 0.95 * total)), len(held) - 1)
    tails = int(below[place]), total - int(below[place]) + int(held[place])
    share = min(1.0, 2 * min(tails) / total)
    return Usual(name, value, low * width, (high + 1) * width, share)
