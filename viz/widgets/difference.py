"""One head's map of the second sentence less that of the first, where tokens of both are partners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from model.attribution.aligned import aligned_places, difference
from model.attribution.labelled_map import LabelledMap
from model.trace import Label
from viz.charts.heatmap import HeatmapText
from viz.charts.layout import chart_config
from viz.charts.pair import Beside, beside_figure
from viz.core.language import say
from viz.core.session import Session
from viz.widgets.head_facts import title


@dataclass(frozen=True)
class PairedAxis:
    """One axis of two maps: what partners are called, and the tokens of either map that have no partner.

    Attributes:
        pairs: places of partners.
        names: of partners; one that was exchanged for another has both names.
        alone: tokens of the first map, and of the second, that are left out.
    """

    pairs: tuple[tuple[int, int], ...]
    names: list[str]
    alone: tuple[list[str], list[str]]


def axis(one: Sequence[Label], other: Sequence[Label]) -> PairedAxis:
    """How two axes go together, token by token."""
    mine, theirs = ([label.text for label in labels] for labels in (one, other))
    pairs = aligned_places(mine, theirs)
    names = [mine[here] if mine[here] == theirs[there] else f"{mine[here]}/{theirs[there]}" for here, there in pairs]
    kept = [{pair[side] for pair in pairs} for side in (0, 1)]
    mine, theirs = ([text for place, text in enumerate(texts) if place not in kept[side]]
                    for side, texts in enumerate((mine, theirs)))  # fmt: skip
    return PairedAxis(pairs, names, (mine, theirs))


def difference_map(now: Session, pair: Sequence[LabelledMap], words: HeatmapText, high: float) -> list[str]:
    """Draw the difference on a scale from −high to high; returns what is to be said of it.

    Args:
        now: the view.
        pair: the head's readings of both sentences, weights [Q, K].
        words: of the axes and of what is pointed at.
        high: where the scale ends.
    """
    rows = axis(pair[0].rows, pair[1].rows)
    columns = axis(pair[0].columns, pair[1].columns)
    if not rows.pairs or not columns.pairs:
        return [say("difference.none")]
    values = difference(pair[0].weights, pair[1].weights, rows.pairs, columns.pairs)
    side = Beside(say("difference.title"), values, rows.names, columns.names)
    told = replace(words, weight=say("difference.scale"))
    figure = beside_figure((side,), now.theme, told, high, is_signed=True)
    config = chart_config("headlight-difference")
    alt = say("difference.alt", head=title(now.head))
    st.plotly_chart(figure, key="difference", width="content", theme=None, config=config, alt=alt)
    return [say("difference.meaning"), *_left_out(rows, columns)]


def _left_out(rows: PairedAxis, columns: PairedAxis) -> list[str]:
    said = []
    for number, side in enumerate(("first", "second")):
        for name, each in (("rows", rows), ("columns", columns)):
            if alone := each.alone[number]:
                said.append(say(f"difference.{side}.{name}", tokens=" ".join(alone)))
    return said
