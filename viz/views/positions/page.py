"""How the model knows the order of words: its own table of sines and cosines."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from model.analysis.lessons import positions
from viz.charts import positions as figures
from viz.charts.layout import base_layout, level_legend, number_axis
from viz.charts.words import Words
from viz.core.language import say
from viz.core.session import Session
from viz.core.theme import Theme, head_colour
from viz.widgets.bar import bar
from viz.widgets.chart import draw, lead, slider
from viz.widgets.picker import pick

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


@dataclass(frozen=True)
class _Table:
    """The model's table of positions [position, dimension], and how it is shown."""

    values: np.ndarray
    theme: Theme
    words: figures.PositionText

    @property
    def n_positions(self) -> int:
        """How many positions it has."""
        return int(self.values.shape[0])

    @property
    def d_model(self) -> int:
        """How many dimensions a position has."""
        return int(self.values.shape[1])

    @property
    def sizes(self) -> dict[str, Any]:
        """Its sizes, as texts call them."""
        return {"positions": self.n_positions, "dimensions": self.d_model}


def slide(name: str, low: int, high: int, start: int) -> int:
    """A whole number that stays in the URL."""
    return slider(f"positions.{name}", name, low, high, start)


def curves(about: _Table) -> None:
    """Chosen dimensions over positions."""
    left, right = st.columns(2, gap="large")
    with left:
        label, explained, options = say("positions.dims"), say("positions.dims.help"), range(about.d_model)
        chosen = st.multiselect(label, options, options[4:8], key="dims", help=explained, bind="query-params")
    with right:
        span = slide("span", 10, about.n_positions, 60)
    figure = figures.dimension_curves(about.values[:span], chosen, about.theme, about.words)
    draw(figure, "positions.curves", **about.sizes, chosen=", ".join(map(str, chosen)))


def matrix(about: _Table) -> None:
    """The table as a picture."""
    left, right = st.columns(2, gap="large")
    with left:
        rows = slide("rows", 10, about.n_positions, 200)
    with right:
        columns = slide("columns", 8, about.d_model, 150)
    figure = figures.position_matrix(about.values[:rows, :columns], about.theme, about.words)
    draw(figure, "positions.matrix", **about.sizes)


def slices(about: _Table) -> None:
    """One dimension over positions beside one position over dimensions."""
    left, right = st.columns(2, gap="large")
    with left:
        number = slide("dim", 0, about.d_model - 1, 10)
    with right:
        place = slide("pos", 0, about.n_positions - 1, 20)
    with left:
        column = about.values[: max(200, place + 1), number]
        names: dict[str, Any] = {"axis": about.words.position, "value": about.words.value}
        figure = figures.values_line(column, about.theme, mark=place, **names)
        draw(figure, "positions.one_dimension", **about.sizes, dimension=number)
    with right:
        draw(
            figures.position_values(about.values[place], about.theme, number, about.words),
            "positions.one_position",
            **about.sizes,
            position=place,
        )


def similarity(about: _Table) -> None:
    """Which positions look alike to the model."""
    left, right = st.columns(2, gap="large")
    with right:
        place = slide("pos", 0, about.n_positions - 1, 20)
    with left:
        how = pick("how")
        values = positions.similarity(about.values[: max(100, place + 1)], how)
        draw(figures.similarity_map(values, about.theme, about.words), "positions.similarity", **about.sizes)
    with right:
        axis, value = about.words.position, about.words.similarity
        figure = figures.values_line(values[place], about.theme, axis=axis, value=value, mark=place, limits=None)
        draw(figure, "positions.similar_to", **about.sizes, position=place)


def rotation(about: _Table) -> None:
    """PE(t + φ) = M · PE(t), with the same M for every t."""
    left, right = st.columns([3, 2], gap="large")
    with right:
        offset = slide("phi", 0, min(100, about.n_positions - 2), 3)
        pair = slide("pair", 0, about.d_model // 2 - 1, 2)
        shift = positions.shift(about.values, offset, pair)
        steps = positions.round_the_circle(about.values, offset, pair)
        st.latex(positions.block_formula(shift.block))
        lead("positions.block", pair=pair, angle=f"{shift.angle:.3f}")
        st.metric(say("positions.error"), f"{shift.max_error:.1e}", help=say("positions.error.help"))
        lead("positions.checked", count=len(shift.before), dimensions=about.d_model)
    with left:
        points = (shift.before[steps], shift.turned[steps], shift.after[steps])
        figure = rotation_circle(points, steps, offset, pair, about.theme, RotationText.said_by(say))
        draw(figure, "positions.rotation", offset=offset, first=2 * pair, second=2 * pair + 1)


_VIEWS = {"curves": curves, "matrix": matrix, "slices": slices, "similarity": similarity, "rotation": rotation}


def view(session: Session) -> None:
    """The table of positions, looked at in the chosen way."""
    about = _Table(positions.position_table(session.model.opened), session.theme, figures.PositionText.said_by(say))
    with bar():
        chosen = pick("show", labelled=False)
    _VIEWS[chosen](about)
    lead("positions.why")
