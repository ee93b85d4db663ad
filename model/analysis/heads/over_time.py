"""When each head found its job: what training did to its maps, its alignment error and its importance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from model.analysis.heads.ablation import ablate
from model.analysis.heads.roles import OFFSETS, RowCounts, count_rows
from model.history import History
from model.source import Source
from model.trace import AttentionTrace, Kind, Label

CHANGE = 0.15  # of a share: a head that changed less has found nothing


@dataclass(frozen=True)
class Jobs:
    """What each head of a kind does most often in the end, and how often it did that at each point.

    Attributes:
        names: "sink", where its strongest weight is on <eos>, or in the decoder's own on <bos>; else "offset"; [L][H].
        offset: where that is, as k − q, or of cross-attention from the diagonal, int [L, H].
        shares: of the rows of all examples, [N, L, H].
    """

    names: list[list[str]]
    offset: np.ndarray
    shares: np.ndarray


def jobs(history: History, kind: Kind) -> Jobs:
    """What heads do in the maps of a history's examples; special tokens' rows are left out, as in ``count_rows``."""
    points = [_counts(history, kind, point) for point in range(len(history.step))]
    hits = np.stack([_shares(each.sums["hits"], each.rows["hits"][:, None, None]) for each in points])
    sinks = np.stack([_shares(each.sums["sink"], each.rows["sink"]) for each in points])
    often = (2 * points[-1].rows["hits"] >= points[-1].rows["entropy"])[:, None, None]
    best = np.where(often, hits[-1], -1.0).argmax(0)
    on_offset = np.take_along_axis(hits, best[None, None], 1)[:, 0]
    is_sink = sinks[-1] >= on_offset[-1]
    names = [["sink" if each else "offset" for each in layer] for layer in is_sink]
    return Jobs(names, np.array(OFFSETS)[best], np.where(is_sink, sinks, on_offset))


def importance_over_time(models: Iterable[Source], examples: Sequence[dict[str, Any]], kind: Kind) -> np.ndarray:
    """What muting each head of a kind costs at each point, nats a token of the examples' targets: [N, L, H]."""
    found = []
    for model in models:
        traces = [model.trace(each["source"], each["target"]) for each in examples]
        costs = [ablate(model, each).costs[kind] for each in traces]
        found.append(np.concatenate(costs, -1).mean(-1))
    return np.stack(found)


def found_at(course: np.ndarray, falls: bool = False, least: float = CHANGE) -> np.ndarray:
    """The first point from which a measure stays nearer to its last value than to its first: int [...], −1 for none.

    Args:
        course: [N, ...], N points in their order.
        falls: a smaller value is the better one.
        least: what it must have gained from the first point to the last.
    """
    rising = -course if falls else course
    gained = rising[-1] - rising[0]
    near = rising >= rising[0] + gained / 2
    stays = np.logical_and.accumulate(near[::-1], 0)[::-1]
    return np.where(gained >= least, stays.argmax(0), -1)


def _counts(history: History, kind: Kind, point: int) -> RowCounts:
    made = [
        count_rows(_trace(example, {kind: history.maps_at(number, kind, point)}), kind)
        for number, example in enumerate(history.examples)
    ]
    return reduce(add, made)


def _trace(example: dict[str, Any], weights: dict[Kind, np.ndarray]) -> AttentionTrace:
    """An example's maps with its labels; the source's last token and the target's first are the special ones."""
    src, read = example["columns"]["cross"], example["rows"]["decoder_self"]
    special = Label(src[-1])
    own = tuple(Label(text, place) for place, text in enumerate(read[1:]))
    sources = (*(Label(text, place) for place, text in enumerate(src[:-1])), special)
    return AttentionTrace(sources, (Label(read[0]), *own), (*own, special), weights, {})


def _shares(sums: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return np.divide(sums, rows, out=np.zeros(sums.shape), where=np.broadcast_to(rows > 0, sums.shape))
