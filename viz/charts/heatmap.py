"""One head's map as a labelled heatmap, and the same in words."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.charts.colour import on_scale, printed
from viz.charts.layout import (
    PAGE_WIDTH,
    base_layout,
    chart_config,
    colour_bar,
    column_labels,
    label_width,
    scale_of,
    token_axis,
)
from viz.charts.markup import Words
from viz.core.numbers import number
from viz.core.theme import Theme

heatmap_config = chart_config
MOST_PRINTED = 16  # rows or columns up to which every weight is printed in its cell
SUMMARY_ROWS = 8


@dataclass(frozen=True)
class HeatmapText(Words):
    """The words of a heatmap, in the visitor's language; ``summary`` has places for numbers."""

    PREFIX = "heatmap"

    query: str
    key: str
    weight: str
    hover_query: str
    hover_key: str
    summary: str


def attention_heatmap(
    weights: np.ndarray, rows: Sequence[str], columns: Sequence[str], *, title: str, theme: Theme, text: HeatmapText
) -> go.Figure:
    """Heatmap of a map: queries down, keys across, keys named on top; colours end at its own maximum.

    Args:
        weights: from 0, [Q, K].
        rows, columns: the tokens, Q and K of them; shown literally.

    Raises:
        ValueError: the shapes do not fit each other.
    """
    weights = np.asarray(weights, dtype=np.float32)
    _check(weights, rows, columns)
    traces = _traces(weights, theme, text)
    # Looking up every property takes Plotly longer than all the rest of a redraw; the tests of the pages do it.
    return go.Figure({"data": traces, "layout": _layout(rows, columns, title, theme, text)}, _validate=False)


def heatmap_summary(weights: np.ndarray, rows: Sequence[str], columns: Sequence[str], text: HeatmapText) -> str:
    """The alternative text of a map: which query attends most to which key, the most decided first.

    Raises:
        ValueError: the shapes do not fit each other.
    """
    weights = np.asarray(weights, dtype=np.float32)
    _check(weights, rows, columns)
    strongest = np.abs(weights).argmax(axis=1)
    found = np.take_along_axis(weights, strongest[:, None], axis=1)[:, 0]
    decided = np.argsort(-np.abs(found), kind="stable")[:SUMMARY_ROWS]
    pairs = ", ".join(f"{rows[q]} → {columns[strongest[q]]} {number(found[q])}" for q in decided)
    return text.summary.format(rows=len(rows), columns=len(columns), pairs=pairs)


def cell_size(n: int) -> float:
    """Height in pixels of a cell where the longer side has n tokens: large maps grow, but not without end."""
    smallest = 15.0 if n <= 80 else 11.0
    return float(min(64.0, max(smallest, 540.0 / n)))


def _check(weights: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> None:
    expected = (len(rows), len(columns))
    if weights.shape != expected or not weights.size:
        raise ValueError(f"weights have shape {weights.shape}, but rows and columns name {expected} tokens")


def _hover(text: HeatmapText) -> str:
    """The template; tokens come from the axes' tick text, never from here."""
    lines = [
        f"{html.escape(text.hover_query)} <b>%{{y}}</b>",
        f"{html.escape(text.hover_key)} <b>%{{x}}</b>",
        f"{html.escape(text.weight)} <b>%{{text:.4f}}</b>",
    ]
    return "<br>".join(lines) + "<extra></extra>"


def _traces(weights: np.ndarray, theme: Theme, text: HeatmapText) -> list[dict[str, Any]]:
    """The map, and where it is small its numbers."""
    cell = cell_size(max(weights.shape))
    heat: dict[str, Any] = {
        "type": "heatmap",
        "text": weights,
        "hoverongaps": True,
        "hovertemplate": _hover(text),
        "xgap": 1 if cell >= 20 else 0,
        "ygap": 1 if cell >= 20 else 0,
        "colorscale": scale_of(theme.scale),
        "z": weights,
        "zmin": 0.0,
        "zmax": float(weights.max()) or 1.0,
        "colorbar": colour_bar(theme, text.weight),
    }
    few = max(weights.shape) <= MOST_PRINTED
    return [heat, *(_printed(weights, heat["zmax"], theme, min(14.0, cell * 0.36)) if few else [])]


def _printed(weights: np.ndarray, top: float, theme: Theme, size: float) -> list[dict[str, Any]]:
    """The weights as text in their cells; what rounds to nothing is faint."""
    colours = on_scale(weights / top, theme.scale)
    texts = [[number(weight) if weight else "0" for weight in row] for row in weights]
    return printed(texts, colours, size, faint=np.abs(weights) < 0.005)


def _layout(rows: Sequence[str], columns: Sequence[str], title: str, theme: Theme, text: HeatmapText) -> dict[str, Any]:
    cell = cell_size(max(len(rows), len(columns)))
    size = min(15.0, max(9.0, cell * 0.75))
    left = label_width(rows, size) + 52
    wide = min(cell * 1.25 if cell < 30 else cell, (PAGE_WIDTH - left - 110) / len(columns))
    column_size, angle, needed = column_labels(columns, min(size, wide * 0.9), wide)
    top = 74 + needed
    # The margins have been reckoned: Plotly need not measure every label, which takes longer than drawing the map.
    known: dict[str, Any] = {"automargin": False}
    x = token_axis(theme, columns, text.key, column_size, side="top", tickangle=angle, **known)
    y = token_axis(theme, rows, text.query, size, range=[len(rows) - 0.5, -0.5], **known)
    return base_layout(
        theme,
        title,
        width=max(420, round(left + wide * len(columns) + 110)),
        height=max(260, round(top + cell * len(rows) + 16)),
        margin={"l": round(left), "r": 110, "t": round(top), "b": 16},
        plot_bgcolor=theme.surface,
        xaxis=x,
        yaxis=y,
    )
