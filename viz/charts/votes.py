"""Who voted for one token against another: source words, kinds of heads, and the rest."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from viz.charts.layout import base_layout, column_labels, number_axis, token_axis
from viz.core.numbers import signed
from viz.core.theme import Theme


def bars_figure(
    names: Sequence[str], values: np.ndarray, theme: Theme, hover: Sequence[str], pitch: float
) -> go.Figure:
    """One bar a name, from 0 up or down; its number stands at its end.

    Args:
        names: under the bars; shown literally.
        values: of the bars, [N].
        theme: the look.
        hover: what each bar says; shown literally.
        pitch: pixels from bar to bar at 1280×720.

    Raises:
        ValueError: names, values and hover differ in number.
    """
    if not len(names) == len(values) == len(hover):
        raise ValueError(f"{len(names)} names and {len(hover)} texts for {len(values)} values")
    bars = {
        "type": "bar",
        "x": list(range(len(names))),
        "y": values,
        "marker": {"color": [_side(theme, value) for value in values]},
        "text": [signed(value) for value in values],
        "textposition": "outside",
        "textfont": {"size": 12, "color": theme.text},
        "cliponaxis": False,
        "customdata": [shown_lines(text) for text in hover],
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    size, angle, height = column_labels(names, 14, pitch)
    reach = max(0.1, 1.25 * float(np.abs(values).max(initial=0)))
    low, high = -reach if (values < 0).any() else 0.0, reach if (values > 0).any() else 0.0
    layout = base_layout(theme) | {
        "xaxis": token_axis(theme, names, "", size, tickangle=angle),
        "yaxis": number_axis(theme, "", range=[low, high], zeroline=True, zerolinecolor=theme.muted, nticks=5),
        "height": 230 + height,
        "margin": {"l": 60, "r": 8, "t": 12, "b": height + 14},
        "bargap": 0.35,
    }
    return go.Figure({"data": [bars], "layout": layout}, skip_invalid=False)


def shown_lines(text: str) -> str:
    """Lines of a hover text as Plotly takes them, each shown literally."""
    return "<br>".join(html.escape(line, quote=False) for line in text.split("\n"))


def _side(theme: Theme, value: float) -> str:
    return theme.diverging[3][1] if value >= 0 else theme.diverging[1][1]
