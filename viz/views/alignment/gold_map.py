"""A map over words with the links that people made outlined, and those that the map makes marked."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.charts.heatmap import HeatmapText, attention_heatmap
from viz.core.theme import Theme

CELL = (48, 34)  # width and height of a cell in pixels: a long pair fits beside the scores
Links = Collection[tuple[int, int]]


def gold_map(
    values: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    sure: Links,
    possible: Links,
    found: Links,
    title: str,
    theme: Theme,
    text: HeatmapText,
) -> go.Figure:
    """The heatmap of a map over words; sure links have a solid outline, possible ones a dashed, found ones a dot.

    Args:
        values: 0 or more, [target words, source words]; colours run to the largest.
        rows, columns: target and source words; shown literally.
        sure, possible, found: links (source word, target word); possible ones may contain the sure.
        title: says what is drawn.
        theme: the look.
        text: the words of axes and hover.

    Raises:
        ValueError: the shapes do not fit, or a link is outside the map.
    """
    _check_links({*sure, *possible, *found}, rows, columns)
    figure = attention_heatmap(values, rows, columns, title=title, theme=theme, text=text)
    outlines = [_outline(link, theme, "solid") for link in sorted(sure)]
    outlines += [_outline(link, theme, "dot") for link in sorted(set(possible) - set(sure))]
    margin = figure.layout.margin
    figure.update_traces(showscale=False, selector={"type": "heatmap"})
    figure.update_layout(
        shapes=outlines,
        width=round(margin.l + CELL[0] * len(columns) + 16),
        height=round(margin.t + CELL[1] * len(rows) + 12),
        margin_r=16,
    )
    figure.add_trace(_dots(sorted(found), theme))
    return figure


def _check_links(links: Links, rows: Sequence[str], columns: Sequence[str]) -> None:
    for i, j in links:
        if not (0 <= i < len(columns) and 0 <= j < len(rows)):
            raise ValueError(f"link {i}-{j} is outside a map of {len(rows)} by {len(columns)} words")


def _outline(link: tuple[int, int], theme: Theme, dash: str) -> dict[str, Any]:
    column, row = link
    inset = 0.44
    return {
        "type": "rect",
        "name": dash,
        "x0": column - inset,
        "x1": column + inset,
        "y0": row - inset,
        "y1": row + inset,
        "line": {"color": theme.accent, "width": 3 if dash == "solid" else 2, "dash": dash},
        "layer": "above",
    }


def _dots(found: Sequence[tuple[int, int]], theme: Theme) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": "found",
        "mode": "markers",
        "x": [column + 0.3 for column, _ in found],
        "y": [row - 0.28 for _, row in found],
        "marker": {"size": 9, "color": theme.text, "line": {"color": theme.background, "width": 1.5}},
        "hoverinfo": "skip",
        "showlegend": False,
    }
