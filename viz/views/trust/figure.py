"""Which picture deserves trust: the table as dots, and deletions beside a map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.charts.layout import (
    PAGE_WIDTH,
    base_layout,
    colour_bar,
    column_labels,
    label_width,
    number_axis,
    panel_place,
    panel_title,
    scale_of,
    shown,
    token_axis,
)
from viz.core.numbers import number
from viz.core.theme import Theme

_ROW = 27  # pixels of a row of dots
_GAP = 0.022  # of the width, between two panels of dots
_BETWEEN = 0.1  # of the width, between two matrices


@dataclass(frozen=True)
class Measure:
    """One panel of dots: a title, means [R] and standard errors [R], NaN where unknown, and which row is best."""

    title: str
    means: np.ndarray
    errors: np.ndarray
    best: int


def dots_figure(rows: Sequence[str], measures: Sequence[Measure], baselines: int, theme: Theme) -> go.Figure:
    """Means as dots with lines of two standard errors either way, one panel a measure; the best row stands out.

    Args:
        rows: names of what was measured, R of them; shown literally.
        measures: the panels.
        baselines: how many of the last rows are yardsticks, drawn hollow.
        theme: the look.

    Raises:
        ValueError: a measure has not R means and errors.
    """
    for measure in measures:
        if measure.means.shape != (len(rows),) or measure.errors.shape != (len(rows),):
            raise ValueError(f"{len(rows)} rows, but {measure.title} has {measure.means.shape} means")
    layout = base_layout(theme, height=_ROW * len(rows) + 96, showlegend=False)
    left = label_width(rows, 14) + 14
    layout["margin"] = {"l": round(left), "r": 8, "t": 34, "b": 34}
    layout["annotations"], data = [], []
    for place, measure in enumerate(measures):
        suffix, domain = panel_place(place, len(measures), _GAP)
        data.append(_dots(rows, measure, baselines, theme, suffix))
        layout[f"xaxis{suffix}"] = number_axis(theme, "", domain=domain, nticks=4) | {"anchor": f"y{suffix}"}
        y = token_axis(theme, rows if place == 0 else [""] * len(rows), "", 14, range=[len(rows) - 0.5, -0.5])
        lines = {"showgrid": True, "gridcolor": theme.surface, "anchor": f"x{suffix}"}
        layout[f"yaxis{suffix}"] = y | lines
        layout["annotations"].append(panel_title(measure.title, domain[0], theme))
    return go.Figure({"data": data, "layout": layout}, skip_invalid=False)


def matrices_figure(
    costs: np.ndarray,
    values: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    theme: Theme,
    *,
    titles: tuple[str, str],
    names: tuple[str, str],
    signed: bool = False,
) -> go.Figure:
    """What deleting each word costs each token, beside what a map marks; the map's top word of each row is ringed.

    Args:
        costs: in nats, [T, W].
        values: of the map, [T, W].
        rows, columns: the T tokens and W words; shown literally.
        theme: the look.
        titles: over both.
        names: of both colour bars.
        signed: the map's values have either sign.

    Raises:
        ValueError: the shapes do not fit each other.
    """
    expected = (len(rows), len(columns))
    if costs.shape != expected or values.shape != expected or not costs.size:
        raise ValueError(f"costs {costs.shape} and values {values.shape} do not fit {expected} tokens")
    layout, pitch = _matrices_layout(rows, columns, titles, theme)
    top = (np.arange(len(rows)), values.argmax(axis=1))
    data = []
    for place, (matrix, name) in enumerate(zip((costs, values), names, strict=True)):
        suffix, domain = panel_place(place, 2, _BETWEEN)
        bar = colour_bar(theme, name, x=domain[1] + 0.004, xpad=0, len=1)
        data.append(_matrix(matrix, bar, suffix, theme, signed or place == 0))
        for look in ((theme.background, 6.0), (theme.accent, 2.5)):
            data.append(_rings(top, min(11.0, pitch * 0.6), *look, suffix))
    return go.Figure({"data": data, "layout": layout}, skip_invalid=False)


def _matrices_layout(
    rows: Sequence[str], columns: Sequence[str], titles: Sequence[str], theme: Theme
) -> tuple[dict[str, Any], float]:
    """Two matrices over the same tokens side by side; and the pixels from column to column."""
    cell = float(min(30.0, max(13.0, 420.0 / len(rows))))
    small = min(14.0, cell * 0.8)
    left = label_width(rows, small) + 24
    pitch = (PAGE_WIDTH - left - 90) * (1 - _BETWEEN) / 2 / len(columns)
    size, angle, needed = column_labels(columns, min(14.0, pitch * 0.9), pitch)
    layout = base_layout(theme, height=round(cell * len(rows) + needed + 66), showlegend=False)
    layout["margin"] = {"l": round(left), "r": 90, "t": round(needed + 46), "b": 14}
    layout["annotations"] = []
    for place, title in enumerate(titles):
        suffix, domain = panel_place(place, len(titles), _BETWEEN)
        x = token_axis(theme, columns, "", size, side="top", tickangle=angle, domain=domain)
        y = token_axis(theme, rows if place == 0 else [""] * len(rows), "", small, range=[len(rows) - 0.5, -0.5])
        layout[f"xaxis{suffix}"], layout[f"yaxis{suffix}"] = x | {"anchor": f"y{suffix}"}, y | {"anchor": f"x{suffix}"}
        layout["annotations"].append(panel_title(title, domain[0], theme) | {"yshift": round(needed) + 14})
    layout["xaxis2"]["matches"], layout["yaxis2"]["matches"] = "x", "y"
    return layout, pitch


def _dots(rows: Sequence[str], measure: Measure, baselines: int, theme: Theme, suffix: str) -> dict[str, Any]:
    plain = len(rows) - baselines
    colours = [theme.accent if n == measure.best else theme.muted for n in range(len(rows))]
    said = [
        f"{shown(name)}: {number(mean, 3)} ± {number(2 * error, 3)}" if np.isfinite(mean) else f"{shown(name)}: –"
        for name, mean, error in zip(rows, measure.means, np.nan_to_num(measure.errors), strict=True)
    ]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": measure.means,
        "y": np.arange(len(rows)),
        "error_x": {"array": 2 * np.nan_to_num(measure.errors), "color": theme.muted, "thickness": 2, "width": 4},
        "marker": {
            "size": [14 if n == measure.best else 11 for n in range(len(rows))],
            "color": colours,
            "symbol": ["circle" if n < plain else "diamond-open" for n in range(len(rows))],
            "line": {"width": 2, "color": colours},
        },
        "customdata": said,
        "hovertemplate": "%{customdata}<extra></extra>",
        "cliponaxis": False,
        "xaxis": f"x{suffix}",
        "yaxis": f"y{suffix}",
    }


def _matrix(values: np.ndarray, bar: dict[str, Any], suffix: str, theme: Theme, signed: bool) -> dict[str, Any]:
    top = float(np.abs(values).max()) or 1.0
    return {
        "type": "heatmap",
        "z": values.astype(np.float32),
        "zmin": -top if signed else 0.0,
        "zmax": top,
        "colorscale": scale_of(theme.diverging if signed else theme.scale),
        "colorbar": bar,
        "xgap": 1,
        "ygap": 1,
        "hovertemplate": "%{y} · %{x}: <b>%{z:.3f}</b><extra></extra>",
        "xaxis": f"x{suffix}",
        "yaxis": f"y{suffix}",
    }


def _rings(top: tuple[np.ndarray, np.ndarray], size: float, colour: str, width: float, suffix: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": top[1],
        "y": top[0],
        "marker": {"symbol": "circle-open", "size": size, "color": colour, "line": {"width": width * size / 11}},
        "hoverinfo": "skip",
        "xaxis": f"x{suffix}",
        "yaxis": f"y{suffix}",
    }
