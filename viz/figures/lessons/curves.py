"""Curves over one axis, for the lessons."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.figures.layout import base_layout, level_legend, number_axis
from viz.theme import HEAD_COLOURS, Theme

_DASHES = ("solid", "dash", "dot", "dashdot")


def curves(
    x: np.ndarray,
    series: Mapping[str, np.ndarray],
    theme: Theme,
    axes: tuple[str, str],
    *,
    height: int = 260,
    mark: float | None = None,
) -> go.Figure:
    """Curves over one axis, each with its colour and its dash.

    Args:
        x: [N].
        series: [N] each, by what it is called.
        theme: the look.
        axes: titles of the horizontal and the vertical axis.
        height: pixels.
        mark: where a dotted line stands.

    Raises:
        ValueError: a curve does not fit the axis.
    """
    if wrong := [name for name, values in series.items() if values.shape != x.shape]:
        raise ValueError(f"“{wrong[0]}” does not fit an axis of shape {x.shape}")
    layout = base_layout(
        theme,
        height=height,
        xaxis=number_axis(theme, axes[0], zeroline=False),
        yaxis=number_axis(theme, axes[1]),
        showlegend=len(series) > 1,
        legend=level_legend(),
        margin={"l": 64, "r": 16, "t": 34 if len(series) > 1 else 14, "b": 48},
    )
    if mark is not None:
        line = {"color": theme.muted, "dash": "dot", "width": 2}
        layout["shapes"] = [{"type": "line", "x0": mark, "x1": mark, "yref": "paper", "y0": 0, "y1": 1, "line": line}]
    data = [_curve(x, values, name, place) for place, (name, values) in enumerate(series.items())]
    return go.Figure({"data": data, "layout": layout})


def _curve(x: np.ndarray, values: np.ndarray, name: str, place: int) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(x) <= 30 else "lines",
        "name": html.escape(name, quote=False),
        "x": x,
        "y": values,
        "line": {"color": HEAD_COLOURS[place % 8], "dash": _DASHES[place % 4], "width": 2.5},
        "hovertemplate": "%{x:.4~g}: <b>%{y:.4~g}</b><extra></extra>",
    }
