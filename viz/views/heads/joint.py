"""What muting more and more heads at once costs, beside the sum of what they cost one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from viz.charts.layout import base_layout
from viz.core.theme import Theme

_COLOURS = ("#D55E00", "#0072B2", "#009E73")
_HEIGHT = 320


@dataclass(frozen=True)
class Curve:
    """One way to choose heads: how many go, what that costs, its standard error, and the sum of single costs."""

    name: str
    sizes: tuple[int, ...]
    costs: tuple[float, ...]
    errors: tuple[float, ...]
    alone: tuple[float, ...]


def joint_figure(curves: Sequence[Curve], theme: Theme, axes: tuple[str, str], alone: str) -> go.Figure:
    """A line a curve with two standard errors either way, and a dotted one of the sums; ``alone`` names these."""
    data: list[dict[str, Any]] = []
    for curve, colour in zip(curves, _COLOURS, strict=False):
        common = {"type": "scatter", "x": list(curve.sizes), "mode": "lines+markers"}
        errors = {"type": "data", "array": [2 * each for each in curve.errors], "thickness": 1.2}
        line = {"color": colour, "width": 2.5}
        data.append({**common, "y": list(curve.costs), "name": curve.name, "line": line, "error_y": errors})
        dotted = {**line, "dash": "dot", "width": 1.5}
        name = f"{curve.name}, {alone}"
        data.append({**common, "y": list(curve.alone), "name": name, "mode": "lines", "line": dotted})
    grid = {"gridcolor": theme.grid, "zerolinecolor": theme.grid}
    layout = base_layout(theme, height=_HEIGHT) | {
        "xaxis": grid
        | {"title": {"text": axes[0]}, "type": "log", "tickvals": list(curves[0].sizes) if curves else []},
        "yaxis": grid | {"title": {"text": axes[1]}},
        "legend": {"orientation": "h", "y": 1.15},
        "margin": {"l": 64, "r": 16, "t": 56, "b": 48},
    }
    return go.Figure({"data": data, "layout": layout}, skip_invalid=False)
