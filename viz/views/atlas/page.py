"""Every head of a model over a whole corpus: all of them as points, and the page of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from model.analysis.atlas.book import Atlas
from model.trace import HeadRef, Kind
from viz.charts.layout import base_layout, chart_config, colour_bar, level_legend, number_axis, scale_of, shown
from viz.charts.markup import line
from viz.core.answers import heads as answers
from viz.core.choice import say
from viz.core.session import Session, choose_head
from viz.core.theme import HEAD_COLOURS, Theme
from viz.views.atlas import head_page
from viz.views.atlas.habits import MEASURES, habit, kind_of, measure_of, role_of, said, source_of
from viz.widgets.head_facts import AlignmentErrors, alignment_errors, title
from viz.widgets.picker import bar, pick

_SCATTER, _TABLE = "atlas_scatter", "atlas_table"
_EXTREMES = 3
_LEFT_OUT = ("autoScale2d", "zoomIn2d", "zoomOut2d")


def points_of(atlas: Atlas, now: Session, x: str, y: str, by: str) -> list[HeadPoint]:
    """Every head with its two measures, and what its colour stands for."""
    costs = measure_of(atlas, now.checkpoint, "cost") if by == "cost" else None
    places = [measure_of(atlas, now.checkpoint, name) for name in (x, y)]
    errors = alignment_errors(now.model)
    found = []
    for number, head in enumerate(atlas.heads):
        group = "" if costs is not None else _group(atlas, head, by, errors)
        colour = float("nan") if costs is None else float(costs[number])
        at = [float(values[number]) for values in places]
        found.append(HeadPoint(head, title(head), habit(atlas, head, errors), at[0], at[1], group, colour))
    return found


def _group(atlas: Atlas, head: HeadRef, by: str, errors: AlignmentErrors) -> str:
    if by == "layer":
        return f"L{head.layer}"
    return role_of(atlas, head, errors) if by == "role" else kind_of(head.kind)


def view(session: Session) -> None:
    """The scatter, the heads that were picked there, and the page of the chosen head."""
    atlas, why = answers.atlas(session.checkpoint)
    if atlas is None:
        st.info(say(f"atlas.{why}", checkpoint=session.checkpoint))
        return
    offered = [name for name in MEASURES if np.isfinite(measure_of(atlas, session.checkpoint, name)).any()]
    with bar():
        x = pick("atlas_x", "distance", labelled=False, as_list=True, only=offered, width=170)
        y = pick("atlas_y", "entropy", labelled=False, as_list=True, only=offered, width=170)
        by = pick("atlas_by", labelled=False)
    points = points_of(atlas, session, x, y, by)
    names = (say(f"atlas.measure.{x}"), say(f"atlas.measure.{y}"), say("atlas.measure.cost"))
    figure = scatter_figure(points, session.theme, names, session.head)
    config = {**chart_config("headlight-atlas"), "modeBarButtonsToRemove": list(_LEFT_OUT)}
    shown_points = sum(np.isfinite(point.x) and np.isfinite(point.y) for point in points)
    alt = say("atlas.alt", heads=shown_points, x=names[0], y=names[1])
    st.plotly_chart(
        figure, key=_SCATTER, theme=None, config=config, alt=alt,
        on_select=_clicked, selection_mode=("points", "box", "lasso"),
    )  # fmt: skip
    said_of_it = (say(f"atlas.meaning.{y}"), source_of(atlas, session.checkpoint, y))
    st.html(line("alt", " ".join((extremes(points, y), *said_of_it))))
    _picked(points, (x, y))
    head_page.draw(atlas, session)
    st.html(line("alt", about(atlas)))


def about(atlas: Atlas) -> str:
    """What the atlas was made of."""
    facts = atlas.facts
    sentences = max(own["sentences"] for own in atlas.kinds.values())
    return say("atlas.made", sentences=f"{sentences:,}", file=facts["file"], command=facts["command"])


def extremes(points: Sequence[HeadPoint], measure: str) -> str:
    """The heads with the highest and the lowest values of what goes upwards, in a sentence."""
    order = sorted((point for point in points if np.isfinite(point.y)), key=lambda point: -point.y)
    named = [f"{point.title} ({said(point.y, measure)})" for point in order]
    return say("heads.extremes", high=", ".join(named[:_EXTREMES]), low=", ".join(named[: -_EXTREMES - 1 : -1]))


def _clicked() -> None:
    """Choose the head of the point that was clicked; where several were enclosed, they are listed instead."""
    heads = _selected()
    if len(heads) == 1:
        choose_head(heads[0])


def _selected() -> list[HeadRef]:
    state = st.session_state.get(_SCATTER)
    chosen = state["selection"]["points"] if state else []
    codes = [each.get("customdata") for each in chosen]
    found = [HeadRef.parse(str(code[0] if isinstance(code, list) else code)) for code in codes if code]
    return [head for head in found if head is not None]


def _picked(points: Sequence[HeadPoint], axes: tuple[str, str]) -> None:
    """The heads that were enclosed with the lasso as a table, whose rows open their pages; else all, folded away."""
    picked = set(_selected())
    several = len(picked) > 1
    rows = [point for point in points if not several or point.head in picked]
    rows.sort(key=lambda point: -point.y if np.isfinite(point.y) else float("inf"))
    values = {say("heads.column.head"): [point.title for point in rows]}
    values[say("heads.column.role")] = [point.note for point in rows]
    numbers = {
        say(f"atlas.measure.{name}"): [None if np.isnan(value) else round(value, 3) for value in column]
        for name, column in zip(axes, ([point.x for point in rows], [point.y for point in rows]), strict=True)
    }
    with st.expander(say("atlas.list", heads=len(rows)), expanded=several):
        st.dataframe(
            values | numbers,
            hide_index=True,
            height=280,
            key=_TABLE,
            on_select=lambda: _open_row([point.head for point in rows]),
            selection_mode="single-row",
        )


def _open_row(heads: Sequence[HeadRef]) -> None:
    rows = st.session_state[_TABLE]["selection"]["rows"]
    if rows and rows[0] < len(heads):
        choose_head(heads[rows[0]])


SYMBOLS: dict[Kind, str] = {"encoder_self": "circle", "decoder_self": "square", "cross": "diamond"}
_HEIGHT = 460
_SIZE = 11


@dataclass(frozen=True)
class HeadPoint:
    """One head as the scatter shows it."""

    head: HeadRef  # which
    title: str  # its name in the visitor's language
    note: str  # what it does, in a few words
    # x, y: where it stands
    x: float
    y: float
    group: str = ""  # what its colour stands for; "" where that is a number
    colour: float = float("nan")  # that number; NaN where there is none


def scatter_figure(
    points: Sequence[HeadPoint], theme: Theme, axes: tuple[str, str, str], selected: HeadRef | None
) -> go.Figure:
    """The points, the selected one in a ring; a point's ``customdata`` is its head's code.

    Args:
        points: those without a place are left out.
    """
    there = [point for point in points if np.isfinite(point.x) and np.isfinite(point.y)]
    groups = list(dict.fromkeys(point.group for point in points))  # of all: its colour is a group's own
    data = [
        _trace(own, group, HEAD_COLOURS[place % 8], theme, axes[2])
        for place, group in enumerate(groups)
        if (own := [point for point in there if point.group == group])
    ]
    if ring := [point for point in there if point.head == selected]:
        data.append(_ring(ring[0], theme))
    layout = base_layout(
        theme,
        height=_HEIGHT,
        xaxis=number_axis(theme, axes[0]),
        yaxis=number_axis(theme, axes[1]),
        legend=level_legend(),
        showlegend=groups != [""],
        dragmode="zoom",
        margin={"l": 64, "r": 16, "t": 48, "b": 48},
    )
    return go.Figure({"data": data, "layout": layout}, skip_invalid=False)


def _trace(points: Sequence[HeadPoint], group: str, colour: str, theme: Theme, title: str) -> dict[str, Any]:
    marker: dict[str, Any] = {
        "size": _SIZE,
        "symbol": [SYMBOLS[point.head.kind] for point in points],
        "line": {"width": 1, "color": theme.background},
        "color": colour,
    }
    if not group:
        values = [None if np.isnan(point.colour) else point.colour for point in points]
        marker |= {"color": values, "colorscale": scale_of(theme.scale[1:]), "showscale": True}
        marker |= {"colorbar": colour_bar(theme, title)}
    return {
        "type": "scatter",
        "mode": "markers",
        "name": shown(group),
        "x": [point.x for point in points],
        "y": [point.y for point in points],
        "customdata": [[point.head.code] for point in points],
        "text": [f"<b>{shown(point.title)}</b><br>{escape(point.note, quote=False)}" for point in points],
        "hovertemplate": "%{text}<br>%{x:.3~f} · %{y:.3~f}<extra></extra>",
        "marker": marker,
    }


def _ring(point: HeadPoint, theme: Theme) -> dict[str, Any]:
    """A ring around a point, which takes no clicks."""
    marker = {"size": _SIZE + 11, "symbol": "circle-open", "color": theme.accent, "line": {"width": 3}}
    place = {"x": [point.x], "y": [point.y]}
    return {"type": "scatter", "mode": "markers", "showlegend": False, "hoverinfo": "skip", "marker": marker, **place}
