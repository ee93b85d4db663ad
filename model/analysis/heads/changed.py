"""Which heads look elsewhere when the sentence changes, and which heads of two models are alike."""

from __future__ import annotations

import numpy as np

from model.analysis.heads.patterns import alike
from model.attribution.aligned import aligned_places, common_groups, divergence, grouped, on_common
from model.passage import Places
from model.trace import AttentionTrace, Kind, Label


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
