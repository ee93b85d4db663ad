"""The positional encoding in pictures: curves, matrix and similarity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.charts.layout import base_layout, colour_bar, level_legend, number_axis, scale_of
from viz.charts.words import Words
from viz.core.theme import HEAD_COLOURS, Theme, head_colour

_DASHES = ("solid", "dash", "dot", "dashdot")


@dataclass(frozen=True)
class PositionText(Words):
    """The words of these figures, in the visitor's language."""

    PREFIX = "positions.axis"

    position: str
    dimension: str
    value: str
    similarity: str
    sine: str
    cosine: str


def dimension_curves(table: np.ndarray, dimensions: Sequence[int], theme: Theme, text: PositionText) -> go.Figure:
    """Chosen dimensions over positions, one curve each.

    Args:
        table: positional encoding, [P, D].
        dimensions: columns of the table.
        theme: the look.
        text: the words of the axes.

    Raises:
        ValueError: there is no such dimension.
    """
    _check_table(table)
    if wrong := [number for number in dimensions if not 0 <= number < table.shape[1]]:
        raise ValueError(f"dimension {wrong[0]} is not one of the table's {table.shape[1]}")
    data = [
        _line(table[:, number], f"{text.dimension} {number}", head_colour(place), _DASHES[place // 8 % 4])
        for place, number in enumerate(dimensions)
    ]
    layout = base_layout(
        theme,
        height=400,
        xaxis=number_axis(theme, text.position, zeroline=False),
        yaxis=number_axis(theme, text.value, range=[-1.08, 1.08]),
        legend=level_legend(),
        margin={"l": 64, "r": 16, "t": 44, "b": 52},
        showlegend=True,
    )
    return go.Figure({"data": data, "layout": layout})


def position_matrix(table: np.ndarray, theme: Theme, text: PositionText) -> go.Figure:
    """The table as a picture: positions down, dimensions across, colour from -1 to 1.

    Raises:
        ValueError: the table is not a matrix.
    """
    _check_table(table)
    hover = f"{text.position} %{{y}}<br>{text.dimension} %{{x}}<br><b>%{{z:.4f}}</b><extra></extra>"
    heat = _heat(table, theme, theme.diverging, -1.0, 1.0, text.value, hover)
    return _matrix_figure(heat, theme, text.dimension, text.position, 520)


def similarity_map(similarity: np.ndarray, theme: Theme, text: PositionText) -> go.Figure:
    """Similarity of every two positions as a picture on its own scale.

    Raises:
        ValueError: the matrix is not square.
    """
    _check_table(similarity)
    if similarity.shape[0] != similarity.shape[1]:
        raise ValueError(f"similarity has shape {similarity.shape}, but both sides are the same positions")
    hover = f"{text.position} %{{y}}, {text.position} %{{x}}<br><b>%{{z:.3f}}</b><extra></extra>"
    low, high = float(similarity.min()), float(similarity.max())
    heat = _heat(similarity, theme, theme.scale, low, high if high > low else low + 1, text.similarity, hover)
    figure = _matrix_figure(heat, theme, text.position, text.position, 520)
    figure.update_layout(yaxis={"scaleanchor": "x", "constrain": "domain"}, xaxis={"constrain": "domain"})
    return figure


def values_line(
    values: np.ndarray,
    theme: Theme,
    *,
    axis: str,
    value: str,
    mark: int | None = None,
    limits: tuple[float, float] | None = (-1.08, 1.08),
) -> go.Figure:
    """One row or one column of a table as a line, one of its places marked.

    Args:
        values: [N].
        theme: the look.
        axis, value: names of the horizontal and the vertical axis.
        mark: index whose place is drawn as a vertical line.
        limits: of the vertical axis; None takes the values' own.

    Raises:
        ValueError: the values are not a vector.
    """
    if values.ndim != 1 or not values.size:
        raise ValueError(f"values must have one dimension, got shape {values.shape}")
    line = _line(values, value, HEAD_COLOURS[0], "solid")
    line |= {"mode": "lines+markers" if len(values) <= 80 else "lines", "marker": {"size": 4}}
    vertical = number_axis(theme, value) | ({"range": list(limits)} if limits else {})
    layout = base_layout(theme, height=330, xaxis=number_axis(theme, axis, zeroline=False), yaxis=vertical)
    if mark is not None:
        layout["shapes"] = [_vertical(mark, theme)]
    return go.Figure({"data": [line], "layout": layout | {"showlegend": False}})


def position_values(row: np.ndarray, theme: Theme, mark: int, text: PositionText) -> go.Figure:
    """One position over all dimensions: its sines and its cosines, one dimension marked.

    Args:
        row: one row of the table, [D].
        theme: the look.
        mark: the dimension whose place is drawn as a vertical line.
        text: the words.

    Raises:
        ValueError: the row is not a vector.
    """
    figure = values_line(row, theme, axis=text.dimension, value=text.value, mark=mark)
    curves = [
        _line(row[start::2], name, HEAD_COLOURS[start], "solid") | {"x0": start, "dx": 2}
        for start, name in enumerate((text.sine, text.cosine))
    ]
    return go.Figure({"data": curves, "layout": figure.layout}).update_layout(showlegend=True, legend=level_legend(1.0))


def _check_table(table: np.ndarray) -> None:
    if table.ndim != 2 or not table.size:
        raise ValueError(f"the table must be a matrix [positions, dimensions], got shape {table.shape}")


def _line(values: np.ndarray, name: str, colour: str, dash: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "y": np.asarray(values, dtype=np.float32),
        "name": name,
        "line": {"color": colour, "width": 2.5, "dash": dash},
        "hovertemplate": "%{x}: <b>%{y:.4f}</b>",
    }


def _heat(
    values: np.ndarray,
    theme: Theme,
    stops: tuple[tuple[float, str], ...],
    low: float,
    high: float,
    bar: str,
    hover: str,
) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "z": np.asarray(values, dtype=np.float32),
        "zmin": low,
        "zmax": high,
        "colorscale": scale_of(stops),
        "colorbar": colour_bar(theme, bar),
        "hovertemplate": hover,
    }


def _matrix_figure(heat: dict[str, Any], theme: Theme, across: str, down: str, height: int) -> go.Figure:
    rows, columns = heat["z"].shape
    layout = base_layout(
        theme,
        height=height,
        xaxis=number_axis(theme, across, range=[-0.5, columns - 0.5], showgrid=False, zeroline=False, side="top"),
        yaxis=number_axis(theme, down, range=[rows - 0.5, -0.5], showgrid=False, zeroline=False),
        margin={"l": 64, "r": 24, "t": 56, "b": 16},
    )
    return go.Figure({"data": [heat], "layout": layout})


def _vertical(place: float, theme: Theme) -> dict[str, Any]:
    line = {"color": theme.accent, "width": 2, "dash": "dot"}
    return {"type": "line", "x0": place, "x1": place, "y0": 0, "y1": 1, "yref": "paper", "line": line}
