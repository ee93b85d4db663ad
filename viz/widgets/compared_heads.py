"""One head of two sentences, or of two models, side by side; and heads in order of how much they changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import streamlit as st

from model.attribution.methods import METHODS
from model.trace import HeadRef, Kind
from viz.charts.heatmap import HeatmapText
from viz.charts.layout import chart_config
from viz.charts.markup import line
from viz.charts.pair import Beside, beside_figure
from viz.core.language import say
from viz.core.numbers import number
from viz.core.session import Session, Subject
from viz.widgets import map_choice as drawing
from viz.widgets.compared_sentences import changed_labels
from viz.widgets.difference import difference_map
from viz.widgets.head_facts import best_first, title
from viz.widgets.head_list import Listed

MOST_LISTED = 10


def one_head(now: Session, other: Subject) -> None:
    """The chosen head's map of the frame's sentence and of another, drawn as the pickers say, on one scale."""
    if not drawing.is_drawn(now, now.kind):
        return
    pair = [drawing.reading(each, now.kind) for each in (now, replace(now, subject=other))]
    readings = [replace(each, weights=each.weights[now.head[1:]]) for each in pair]
    if not all(each.weights.size for each in readings):
        st.info(say("compare.empty"))
        return
    rows = changed_labels(readings[0].rows, readings[1].rows)
    columns = changed_labels(readings[0].columns, readings[1].columns)
    sides = [
        Beside(
            subject.text if len(subject.text) <= 60 else f"{subject.text[:59]}…",
            reading.weights,
            [label.text for label in reading.rows],
            [label.text for label in reading.columns],
            rows[place],
            columns[place],
        )
        for place, (subject, reading) in enumerate(zip((now.subject, other), readings, strict=True))
    ]
    words = replace(HeatmapText.said_by(say), weight=drawing.name(now))
    high = 1.0 if now.method == "weights" else max(float(np.abs(each.weights).max(initial=0.0)) for each in pair) or 1.0
    with st.container(horizontal=True):
        show_pair(now, (sides[0], sides[1]), words, high, is_signed=METHODS[now.method].signed)
        said = difference_map(now, readings, words, high)
    st.html(line("alt", " ".join(said)))


def show_pair(
    now: Session, sides: tuple[Beside, Beside], words: HeatmapText, high: float = 1.0, is_signed: bool = False
) -> None:
    """Two maps on one scale, as a chart of the page."""
    figure = beside_figure(sides, now.theme, words, high, is_signed)
    alt = say("compare.alt", head=title(now.head), one=sides[0].title, other=sides[1].title)
    config = chart_config("headlight-compare")
    st.plotly_chart(figure, key="pair", width="content", theme=None, config=config, alt=alt)


def ranked(values: Mapping[Kind, np.ndarray]) -> list[Listed]:
    """The heads that changed most, as a list shows them."""
    known = {kind: np.nan_to_num(each, nan=-1.0) for kind, each in values.items()}
    order = [head for head in best_first(known) if known[head.kind][head[1:]] >= 0][:MOST_LISTED]
    top = max((_of(values, head) for head in order), default=0.0) or 1.0
    return [
        Listed(
            head,
            title(head),
            _of(values, head),
            say("compare.bits", value=number(_of(values, head))),
            _of(values, head) / top,
        )
        for head in order
    ]


def measured(values: Mapping[Kind, np.ndarray], head: HeadRef) -> None:
    """How much the chosen head changed, in a line."""
    value = _of(values, head)
    known = say("compare.bits", value=number(value)) if not np.isnan(value) else "–"
    st.html(line("alt", say("compare.measure", head=title(head), value=known)))


def _of(values: Mapping[Kind, np.ndarray], head: HeadRef) -> float:
    return float(values[head.kind][head[1:]])
