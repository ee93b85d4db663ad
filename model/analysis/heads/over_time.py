"""When each head found its job: what training did to its maps, its alignment error and its importance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from model.analysis.heads.ablation import ablate
from model.analysis.heads.patterns import alike
from model.analysis.heads.roles import OFFSETS, RowCounts, count_rows
from model.attribution.aligned import aligned_places, common_groups, divergence, grouped, on_common
from model.history import History
from model.passage import Places
from model.source import Source
from model.trace import AttentionTrace, Kind, Label

CHANGE = 0.15  # of a share: a head that changed less has found nothing


@dataclass(frozen=True)
class Jobs:
    """What each head of a kind does most often in the end, and how often it did that at each point."""

    # "sink", where its strongest weight is on <eos>, or in the decoder's own on <bos>; else "offset"; [L][H]
    names: list[list[str]]
    offset: np.ndarray  # where that is, as k − q, or of cross-attention from the diagonal, int [L, H]
    shares: np.ndarray  # of the rows of all examples, [N, L, H]


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
    found: np.ndarray = np.divide(sums, rows, out=np.zeros(sums.shape), where=np.broadcast_to(rows > 0, sums.shape))
    return found


def row_labels(trace: AttentionTrace, kind: Kind) -> tuple[Label, ...]:
    """What the rows of a kind stand for: of cross-attention the tokens that they write."""
    return trace.tgt_outputs if kind == "cross" else trace.axis_labels(kind)[0]


def partners(one: AttentionTrace, other: AttentionTrace, kind: Kind) -> tuple[Places, Places]:
    """Rows, and columns, of a kind's maps that have a partner in the maps of another sentence."""
    sides = [(row_labels(trace, kind), trace.axis_labels(kind)[1]) for trace in (one, other)]
    rows, columns = (aligned_places(*([label.text for label in side[axis]] for side in sides)) for axis in (0, 1))
    return rows, columns


def changed_heads(one: AttentionTrace, other: AttentionTrace) -> dict[Kind, np.ndarray]:
    """How much each head's attention differs between two sentences, by kind: [L, H] in bits, 0 to 1.

    The mean over rows with a partner of the Jensen–Shannon divergence (Lin 1991) between the two rows, both
    brought onto the columns that have a partner; what a row gives to tokens without one counts as a column
    more. Rows that can see one key only are left out. NaN where no row has a partner.
    """
    found: dict[Kind, np.ndarray] = {}
    for kind in one.kinds:
        rows, columns = partners(one, other, kind)
        first = int(kind == "decoder_self")
        pairs = np.array([pair for pair in rows if min(pair) >= first], dtype=int).reshape(-1, 2)
        if not len(pairs):
            found[kind] = np.full(one.weights[kind].shape[:2], np.nan)
            continue
        sides = zip((one, other), (0, 1), strict=True)
        here, there = (
            on_common(trace.weights[kind][:, :, pairs[:, side]].astype(np.float64), [pair[side] for pair in columns])
            for trace, side in sides
        )
        found[kind] = divergence(here, there).mean(-1)
    return found


def matched(one: AttentionTrace, other: AttentionTrace, kind: Kind) -> np.ndarray:
    """How alike each head of one model is to each of another while both write one translation: [L, H, L', H'], 0 to 1.

    One minus the mean Jensen–Shannon divergence of their rows, as ``alike`` has it. Where the two cut the texts
    into other tokens, both are read over the shortest stretches that both have whole, without special tokens.
    """
    maps = [trace.weights[kind].astype(np.float64) for trace in (one, other)]
    axes = [(row_labels(trace, kind), trace.axis_labels(kind)[1]) for trace in (one, other)]
    if [[label.text for label in axis] for axis in axes[0]] != [[label.text for label in axis] for axis in axes[1]]:
        rows, columns = (common_groups(*pair) for pair in zip(*axes, strict=True))
        if not rows[0] or not columns[0]:
            return np.full((*maps[0].shape[:2], *maps[1].shape[:2]), np.nan)
        maps = [grouped(values, rows[side], columns[side]) for side, values in enumerate(maps)]
    scores = [[alike(maps[1], head) for head in layer] for layer in maps[0]]
    return np.array(scores)
