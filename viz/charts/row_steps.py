"""One query's scores on their way through the mask to weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.charts.colour import on_scale, printed, rgb
from viz.charts.layout import PAGE_WIDTH, base_layout, column_labels, label_width, scale_of, token_axis
from viz.charts.words import Words
from viz.core.theme import Theme

_STEP_HEIGHT = 60


@dataclass(frozen=True)
class StepsText(Words):
    """The words of the three rows, in the visitor's language."""

    PREFIX = "masks.steps"

    key: str
    scores: str
    masked: str
    weights: str


def steps_figure(
    steps: tuple[np.ndarray, np.ndarray, np.ndarray], columns: Sequence[str], theme: Theme, text: StepsText
) -> go.Figure:
    """Scores, masked scores and weights of one query, aligned over the same keys.

    Args:
        steps: [K] each; -inf where the mask hides a key.
        columns: the keys, K of them; shown literally.
        theme: the look.
        text: the words.

    Raises:
        ValueError: the shapes do not fit each other.
    """
    for values in steps:
        if values.shape != (len(columns),) or not values.size:
            raise ValueError(f"a step has shape {values.shape}, but there are {len(columns)} keys")
    left = label_width([text.scores, text.masked, text.weights], 15) + 20
    wide = min(72.0, (PAGE_WIDTH - left - 24) / len(columns))
    span = largest_score(steps[0])
    data = [
        _heat(0, steps[0], (-span, span), theme.diverging),
        _heat(1, steps[1], (-span, span), theme.diverging),
        _heat(2, steps[2], (0.0, 1.0), theme.scale),
    ]
    font = min(15.0, (wide - 6) / 3.4)
    if font >= 8:
        texts = [[number(value) for value in values] for values in steps]
        data += printed(texts, cell_colours(steps, theme), font, faint=_after_mask(steps[1]))
    return go.Figure({"data": data, "layout": _layout(columns, left, wide, theme, text)})


def _layout(columns: Sequence[str], left: float, wide: float, theme: Theme, text: StepsText) -> dict[str, Any]:
    """Three rows over cells of this width, with room for the names at their left."""
    size, angle, needed = column_labels(columns, 15.0 if wide >= 20 else max(6.0, wide * 0.75), wide)
    return base_layout(
        theme,
        width=max(520, round(left + wide * len(columns) + 24)),
        height=round(48 + needed + 3 * _STEP_HEIGHT + 16),
        margin={"l": round(left), "r": 24, "t": round(48 + needed), "b": 16},
        xaxis=token_axis(theme, columns, text.key, size, side="top", tickangle=angle),
        yaxis=token_axis(theme, [text.scores, text.masked, text.weights], "", 15, range=[2.5, -0.5]),
        showlegend=False,
        plot_bgcolor=theme.surface,
    )


def number(value: float, digits: int = 2) -> str:
    """A score or weight as a cell shows it; minus infinity and an exact zero are told apart from small numbers."""
    if np.isneginf(value):
        return "−∞"
    return "0" if value == 0 else f"{value:.{digits}f}".replace("-", "−")


def _after_mask(masked: np.ndarray) -> np.ndarray:
    """Cells in which the mask has left nothing: hidden keys, from the second row on: bool [3, K]."""
    hidden = np.isneginf(masked)
    return np.stack([np.zeros_like(hidden), hidden, hidden])


def largest_score(scores: np.ndarray) -> float:
    """The largest size of a score, but never zero."""
    return max(float(np.abs(scores).max()), 1e-6)


def cell_colours(steps: tuple[np.ndarray, np.ndarray, np.ndarray], theme: Theme) -> np.ndarray:
    """Colour of every cell: scores on the diverging scale by their largest size, weights from 0 to 1: [3, K, 3]."""
    scores, masked, weights = steps
    span = 2 * largest_score(scores)
    of_scores = on_scale(0.5 + scores / span, theme.diverging)
    of_masked = np.where(np.isneginf(masked)[:, None], rgb(theme.surface), of_scores)
    return np.stack([of_scores, of_masked, on_scale(weights, theme.scale)])


def _heat(
    row: int, values: np.ndarray, limits: tuple[float, float], stops: tuple[tuple[float, str], ...]
) -> dict[str, Any]:
    """One row of cells; those of hidden keys stay blank."""
    z = np.where(np.isfinite(values), values, np.nan).astype(np.float32)
    return {
        "type": "heatmap",
        "z": z[None],
        "y": [row],
        "zmin": limits[0],
        "zmax": limits[1],
        "colorscale": scale_of(stops),
        "showscale": False,
        "hoverongaps": True,
        "xgap": 1,
        "ygap": 6,
        "customdata": [[number(value, 5) for value in values]],
        "hovertemplate": "%{y} → <b>%{x}</b>: <b>%{customdata}</b><extra></extra>",
    }
