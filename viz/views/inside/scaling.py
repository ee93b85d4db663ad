"""Scores with and without the division by √d_k, as two curves a chart."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.charts.layout import base_layout, level_legend, number_axis
from viz.core.theme import HEAD_COLOURS, Theme

_LOOKS = ((HEAD_COLOURS[5], "solid", "circle"), (HEAD_COLOURS[4], "dash", "square"))


def with_and_without(
    x: np.ndarray,
    curves: tuple[np.ndarray, np.ndarray],
    theme: Theme,
    *,
    names: tuple[str, str],
    axes: tuple[str, str],
    log_x: bool = False,
    log_y: bool = False,
) -> go.Figure:
    """Two curves over one axis: without the division, and with it.

    Args:
        x: [N].
        curves: [N] each.
        theme: the look.
        names: of the curves.
        axes: titles of the horizontal and the vertical axis.
        log_x, log_y: powers instead of sums; log_x marks every point, at powers of two.

    Raises:
        ValueError: a curve does not fit the axis.
    """
    mode = "lines+markers" if log_x else "lines"
    named = zip(names, curves, _LOOKS, strict=True)
    data = [_curve(x, curve, name, axes[0], look) | {"mode": mode} for name, curve, look in named]
    powers = {"type": "log", "tickmode": "array", "tickvals": x, "ticktext": [f"{size:g}" for size in x]}
    upwards = {"type": "log", "exponentformat": "power", "dtick": 1} if log_y else {"rangemode": "tozero"}
    layout = base_layout(
        theme,
        height=230,
        xaxis=number_axis(theme, axes[0], zeroline=False, **(powers if log_x else {})),
        yaxis=number_axis(theme, axes[1], zeroline=False, **upwards),
        legend=level_legend(),
        margin={"l": 60, "r": 16, "t": 34, "b": 48},
        showlegend=True,
    )
    return go.Figure({"data": data, "layout": layout})


def _curve(x: np.ndarray, curve: np.ndarray, name: str, axis: str, look: tuple[str, str, str]) -> dict[str, Any]:
    if curve.shape != x.shape or not x.size:
        raise ValueError(f"“{name}” has shape {curve.shape}, but the axis has {x.shape}")
    colour, dash, symbol = look
    return {
        "type": "scatter",
        "x": x,
        "y": curve,
        "name": name,
        "line": {"color": colour, "dash": dash, "width": 2.5},
        "marker": {"symbol": symbol, "size": 7},
        "hovertemplate": f"{name}<br>{axis} %{{x}}: <b>%{{y:.4g}}</b><extra></extra>",
    }
