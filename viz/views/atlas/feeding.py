"""Who feeds a head and whom it feeds, by its weights: a small graph and a table; and what it writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from model.analysis.residual.composition import Composition, chance
from model.trace import HeadRef
from viz.charts.layout import base_layout
from viz.charts.markup import line
from viz.core.answers import atlas as answers
from viz.core.language import say
from viz.core.numbers import number
from viz.core.pieces import shown_piece
from viz.core.session import Session
from viz.core.theme import HEAD_COLOURS, Theme
from viz.widgets import chart
from viz.widgets.head_facts import title

_COLOURS: Mapping[str, str] = {"Q": HEAD_COLOURS[0], "K": HEAD_COLOURS[5], "V": HEAD_COLOURS[2]}
_MOST = 6  # heads on either side
_HEIGHT = 340
_WIDEST = 24.0  # pixels of a line whose score is 1


def draw(now: Session) -> None:
    """All of it; nothing of a model that does not show its projections."""
    anatomy = now.model.opened.anatomy
    if not {"projections", "internals"} <= anatomy.abilities:
        return
    found = answers.compositions(now.checkpoint, now.head)
    before = [each for each in found if each.reader == now.head][:_MOST]
    after = [each for each in found if each.writer == now.head][:_MOST]
    if not (before or after):
        return
    st.subheader(say("atlas.feeds"), anchor=False)
    by_chance = number(chance(now.model.facts.d_model))
    chart.draw(
        feeding_figure(now.head, before, after, now.theme), "atlas.feeds", head=title(now.head), chance=by_chance
    )
    with st.expander(say("atlas.feeds.table")):
        st.dataframe(rows_of([*before, *after]), hide_index=True, key="atlas_feeds_table")
    if "votes" in anatomy.abilities and now.head.kind != "encoder_self":
        for share, up, down in answers.written_words(now.checkpoint, now.head):
            words = {"up": "  ".join(map(shown_piece, up)), "down": "  ".join(map(shown_piece, down))}
            st.html(line("alt hl-line", say("atlas.writes", share=f"{share:.0%}", **words)))


def rows_of(found: Sequence[Composition]) -> dict[str, list[Any]]:
    """Compositions as columns of a table."""
    return {
        say("atlas.feeds.writer"): [title(each.writer) for each in found],
        say("atlas.feeds.reader"): [title(each.reader) for each in found],
        say("atlas.feeds.way"): [say(f"atlas.feeds.{each.way}") for each in found],
        say("atlas.feeds.score"): [round(each.score, 3) for each in found],
    }


def feeding_figure(
    head: HeadRef, before: Sequence[Composition], after: Sequence[Composition], theme: Theme
) -> go.Figure:
    """The head in the middle, those that it reads left and those that read it right, lines as wide as the scores."""
    middle = -(max(len(before), len(after), 1) - 1) / 2
    sides = ((0, before), (2, after))
    data = [_line(each, side, (-float(place), middle)) for side, found in sides for place, each in enumerate(found)]
    points = [
        (side, -float(place), f"{title(each.reader if side else each.writer)} · {each.way} {number(each.score, 3)}")
        for side, found in sides
        for place, each in enumerate(found)
    ]
    data.append(_names([*points, (1, middle, title(head))], theme))
    bare = {"visible": False, "fixedrange": True}
    layout = base_layout(theme, height=_HEIGHT, showlegend=False, margin={"l": 16, "r": 16, "t": 16, "b": 16})
    layout |= {"xaxis": bare | {"range": [-0.8, 2.8]}, "yaxis": bare}
    return go.Figure({"data": data, "layout": layout}, skip_invalid=False)


def _line(each: Composition, side: int, y: tuple[float, float]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [side, 1],
        "y": list(y),
        "line": {"color": _COLOURS[each.way], "width": max(1.0, _WIDEST * each.score)},
        "hoverinfo": "skip",
    }


def _names(points: Sequence[tuple[int, float, str]], theme: Theme) -> dict[str, Any]:
    """The heads' names, beside their dots."""
    where = {0: "middle left", 1: "top center", 2: "middle right"}
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [x for x, _, _ in points],
        "y": [y for _, y, _ in points],
        "text": [escape(name) for _, _, name in points],
        "textposition": [where[x] for x, _, _ in points],
        "textfont": {"color": theme.text},
        "marker": {"size": 10, "color": theme.accent},
        "hoverinfo": "skip",
    }
