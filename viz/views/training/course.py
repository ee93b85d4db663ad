"""A measure of every head over training, one of them picked out, beside how good the translations were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.charts.layout import base_layout, number_axis, panel_place, panel_title
from viz.core.theme import Theme

_GAP, _TICKS = 0.08, 7


@dataclass(frozen=True)
class Course:
    """One panel.

    Attributes:
        title: above it.
        values: [N, curves]; NaN where there is none.
        names: of the curves, shown where they are pointed at.
        chosen: the curve that is picked out.
    """

    title: str
    values: np.ndarray
    names: Sequence[str]
    chosen: int | None = None


def courses_figure(panels: Sequence[Course], steps: Sequence[int], point: int, theme: Theme, axis: str) -> go.Figure:
    """Curves over the points of training, which stand in order at equal distances; a line marks one of them.

    Args:
        panels: side by side.
        steps: of the points, N of them.
        point: the marked one.
        theme: the look.
        axis: name of the horizontal axis.

    Raises:
        ValueError: a panel has not N values, or not a name for each curve.
    """
    for panel in panels:
        if panel.values.shape != (len(steps), len(panel.names)):
            raise ValueError(f"values {panel.values.shape} for {len(steps)} points and {len(panel.names)} names")
    data: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    titles, marks = [], []
    ticks = sorted({round(place) for place in np.linspace(0, len(steps) - 1, min(_TICKS, len(steps)))})
    for number, panel in enumerate(panels):
        place, domain = panel_place(number, len(panels), _GAP)
        shown = {"tickmode": "array", "tickvals": ticks, "ticktext": [f"{steps[tick]:,}" for tick in ticks]}
        axes[f"xaxis{place}"] = number_axis(theme, axis, domain=domain, anchor=f"y{place}", showgrid=False, **shown)
        axes[f"yaxis{place}"] = number_axis(theme, "", anchor=f"x{place}", nticks=6)
        titles.append(panel_title(panel.title, domain[0], theme, whole=True))
        ends = {"x0": point, "x1": point, "y0": 0, "y1": 1, "xref": f"x{place}", "yref": f"y{place} domain"}
        marks.append({"type": "line", "line": {"color": theme.accent, "width": 1.5, "dash": "dash"}, **ends})
        order = sorted(range(len(panel.names)), key=lambda curve: curve == panel.chosen)
        data += [_curve(panel, curve, steps, place, theme) for curve in order]
    layout = base_layout(theme, height=300, showlegend=False, annotations=titles, shapes=marks, **axes)
    return go.Figure({"data": data, "layout": layout | {"margin": {"l": 56, "r": 16, "t": 34, "b": 52}}})


def _curve(panel: Course, curve: int, steps: Sequence[int], place: str, theme: Theme) -> dict[str, Any]:
    is_chosen = curve == panel.chosen or len(panel.names) == 1
    return {
        "type": "scatter",
        "mode": "lines+markers" if is_chosen else "lines",
        "x": list(range(len(steps))),
        "y": panel.values[:, curve],
        "name": panel.names[curve],
        "line": {"color": theme.accent if is_chosen else theme.muted, "width": 3 if is_chosen else 1},
        "marker": {"size": 6},
        "opacity": 1.0 if is_chosen else 0.35,
        "customdata": [f"{step:,}" for step in steps],
        "hovertemplate": f"{panel.names[curve]}, %{{customdata}}: <b>%{{y:.3~g}}</b><extra></extra>",
        "xaxis": f"x{place}",
        "yaxis": f"y{place}",
    }
