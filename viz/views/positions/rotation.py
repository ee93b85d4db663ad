"""A shift of position as a turn of a sine-cosine pair on the unit circle."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.charts.layout import base_layout, level_legend, number_axis
from viz.charts.words import Words
from viz.core.theme import Theme, head_colour

_OUTSIDE, _INSIDE = 1.17, 0.58  # radii of the labels; the ways run between them


@dataclass(frozen=True)
class RotationText(Words):
    """The words of the circle, in the visitor's language."""

    PREFIX = "positions.circle"

    sine: str
    cosine: str
    before: str
    turned: str
    after: str


def rotation_circle(
    points: tuple[np.ndarray, np.ndarray, np.ndarray],
    steps: Sequence[int],
    offset: int,
    pair: int,
    theme: Theme,
    text: RotationText,
) -> go.Figure:
    """One sine-cosine pair for several t, one colour each, before and after the same turn.

    Args:
        points: PE(t), M·PE(t) and PE(t + offset) of the pair, [N, 2] each, sine first.
        steps: the t of each row, N of them.
        offset: the shift φ, in positions.
        pair: number of the pair, for the names of the axes.
        theme: the look.
        text: the words.

    Raises:
        ValueError: the shapes do not fit each other.
    """
    for values in points:
        if values.shape != (len(steps), 2):
            raise ValueError(f"points have shape {values.shape}, but {len(steps)} steps need {(len(steps), 2)}")
    data = [_line(np.linspace(0, 2 * np.pi, 181), 1.0, {"color": theme.grid, "width": 2})]
    data += _turns(points, [f"t = {step}" for step in steps], [f"{step} + {offset}" for step in steps], theme, text)
    return go.Figure({"data": data, "layout": _layout(pair, theme, text)})


def _turns(
    points: tuple[np.ndarray, np.ndarray, np.ndarray],
    first: list[str],
    second: list[str],
    theme: Theme,
    text: RotationText,
) -> list[dict[str, Any]]:
    """Ways, points and names, one colour a step."""
    before, turned, after = points
    colours = [head_colour(number) for number in range(len(first))]
    ways = [
        _line(
            _way(before[row], turned[row]),
            0.9 - 0.24 * row / len(first),
            {"color": colour, "width": 2.5, "dash": "dot"},
        )
        for row, colour in enumerate(colours)
    ]
    return [
        *ways,
        _markers(before, first, text.before, {"symbol": "circle", "size": 14, "color": colours}),
        _markers(
            after, second, text.after, {"symbol": "circle-open", "size": 22, "color": colours, "line": {"width": 3}}
        ),
        _markers(turned, second, text.turned, {"symbol": "diamond", "size": 10, "color": colours}),
        _labels(_OUTSIDE * before, first, theme),
        _labels(_INSIDE * after, second, theme),
    ]


def _layout(pair: int, theme: Theme, text: RotationText) -> dict[str, Any]:
    span = {"range": [-1.35, 1.35], "dtick": 0.5, "constrain": "domain"}
    return base_layout(
        theme,
        height=520,
        xaxis=number_axis(theme, text.cosine.format(number=2 * pair + 1), **span),
        yaxis=number_axis(theme, text.sine.format(number=2 * pair), **span, scaleanchor="x"),
        legend=level_legend(x=0.5, xanchor="center"),
        margin={"l": 64, "r": 16, "t": 64, "b": 52},
    )


def _way(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Angles on the way from one point (sine, cosine) of the circle to another, counter-clockwise."""
    first = np.arctan2(start[0], start[1])
    turn = (np.arctan2(end[0], end[1]) - first) % (2 * np.pi)
    return first + np.linspace(0, turn if turn < 2 * np.pi - 1e-6 else 0.0, 40)


def _line(angle: np.ndarray, radius: float, line: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": (radius * np.cos(angle)).astype(np.float32),
        "y": (radius * np.sin(angle)).astype(np.float32),
        "line": line,
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _markers(points: np.ndarray, labels: list[str], name: str, marker: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": points[:, 1],
        "y": points[:, 0],
        "text": labels,
        "name": html.escape(name, quote=False),
        "marker": marker,
        "hovertemplate": "%{text}: (%{y:.5f}, %{x:.5f})",
    }


def _labels(points: np.ndarray, labels: list[str], theme: Theme) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "text",
        "x": points[:, 1],
        "y": points[:, 0],
        "text": labels,
        "textfont": {"size": 14, "color": theme.text},
        "hoverinfo": "skip",
        "showlegend": False,
    }
