"""All heads as points: any two of their measures, coloured by a third."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go

from model.trace import HeadRef, Kind
from viz.charts.layout import base_layout, colour_bar, level_legend, number_axis, scale_of, shown
from viz.core.theme import HEAD_COLOURS, Theme

SYMBOLS: dict[Kind, str] = {"encoder_self": "circle", "decoder_self": "square", "cross": "diamond"}
_HEIGHT = 460
_SIZE = 11


@dataclass(frozen=True)
class HeadPoint:
    """One head as the scatter shows it.

    Attributes:
        head: which.
        title: its name in the visitor's language.
        note: what it does, in a few words.
        x, y: where it stands.
        group: what its colour stands for; "" where that is a number.
        colour: that number; NaN where there is none.
    """

    head: HeadRef
    title: str
    note: str
    x: float
    y: float
    group: str = ""
    colour: float = float("nan")


def scatter_figure(
    points: Sequence[HeadPoint], theme: Theme, axes: tuple[str, str, str], selected: HeadRef | None
) -> go.Figure:
    """The points, the selected one in a ring; a point's ``customdata`` is its head's code.

    Args:
        points: those without a place are left out.
        theme: the look.
        axes: what x, y and colour are called.
        selected: a head to mark.
    """
    there = [point for point in points if np.isfinite(point.x) and np.isfinite(point.y)]
    groups = list(dict.fromkeys(point.group for point in there))
    data = [
        _trace([point for point in there if point.group == group], group, HEAD_COLOURS[place % 8], theme, axes[2])
        for place, group in enumerate(groups)
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
