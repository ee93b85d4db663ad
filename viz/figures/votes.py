"""Who voted for one token against another: heads, source words, and the rest."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.figures.layout import base_layout, column_labels, number_axis, panel_place, panel_title, scale_of, token_axis
from viz.numbers import signed
from viz.theme import Theme

_CELL = 30  # pixels
_GAP = 0.09  # of the width, between two heatmaps


def heads_figure(votes: Sequence[np.ndarray], titles: Sequence[str], theme: Theme, hover: str) -> go.Figure:
    """The votes of every head of two kinds, as two heatmaps on one diverging scale.

    Args:
        votes: one [L, H] array a kind.
        titles: of the kinds.
        theme: the look.
        hover: what a cell says, with ``{title}``, ``{place}`` and ``{vote}``.

    Raises:
        ValueError: there is not one title for each array.
    """
    if len(votes) != len(titles):
        raise ValueError(f"{len(votes)} arrays of votes, but {len(titles)} titles")
    largest = max((float(np.abs(each).max()) for each in votes if each.size), default=0.0) or 1.0
    figure: dict[str, Any] = {"data": [], "layout": base_layout(theme)}
    annotations = []
    for number, (each, title) in enumerate(zip(votes, titles, strict=True)):
        suffix, domain = panel_place(number, len(votes), _GAP)
        figure["data"].append(_heatmap(each, title, largest, theme, hover, suffix))
        figure["layout"][f"xaxis{suffix}"] = _axis("H", each.shape[1], theme) | {
            "domain": domain,
            "anchor": f"y{suffix}",
        }
        figure["layout"][f"yaxis{suffix}"] = _axis("L", each.shape[0], theme) | {
            "anchor": f"x{suffix}",
            "range": [each.shape[0] - 0.5, -0.5],
        }
        annotations.append(panel_title(title, domain[0], theme))
    height = _CELL * max(each.shape[0] for each in votes) + 70
    figure["layout"] |= {"annotations": annotations, "height": height, "margin": {"l": 34, "r": 8, "t": 34, "b": 28}}
    return go.Figure(figure, skip_invalid=False)


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


def _heatmap(votes: np.ndarray, title: str, largest: float, theme: Theme, hover: str, suffix: str) -> dict[str, Any]:
    places = [[(layer, head) for head in range(votes.shape[1])] for layer in range(votes.shape[0])]
    said = [
        [
            shown_lines(hover.format(title=title, place=f"L{layer} H{head}", vote=signed(votes[layer, head])))
            for layer, head in row
        ]
        for row in places
    ]
    return {
        "type": "heatmap",
        "z": votes.astype(np.float32),
        "zmin": -largest,
        "zmax": largest,
        "colorscale": scale_of(theme.diverging),
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "customdata": said,
        "hovertemplate": "%{customdata}<extra></extra>",
        "xaxis": f"x{suffix}",
        "yaxis": f"y{suffix}",
    }


def _axis(letter: str, count: int, theme: Theme) -> dict[str, Any]:
    return token_axis(theme, [f"{letter}{number}" for number in range(count)], "", 12, tickangle=0) | {
        "tickfont": {"size": 12, "color": theme.muted}
    }


def _side(theme: Theme, value: float) -> str:
    return theme.diverging[3][1] if value >= 0 else theme.diverging[1][1]
