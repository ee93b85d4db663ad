"""Plain pictures that several lessons share: bars, and cells with their numbers."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.figures.colour import on_scale, printed, rgb
from viz.figures.layout import (
    base_layout,
    label_width,
    labels_apart,
    labels_fit,
    level_legend,
    number_axis,
    scale_of,
    shown,
    token_axis,
)
from viz.numbers import number
from viz.theme import HEAD_COLOURS, Theme

_SPECIAL = re.compile(r"^<(\w+)>$")
_SIZE = 14  # pixels of a label


def bars(
    names: Sequence[str],
    series: Mapping[str, np.ndarray],
    theme: Theme,
    axis: str,
    *,
    width: int = 400,
    height: int = 260,
    limits: tuple[float, float] | None = None,
) -> go.Figure:
    """Bars over names, one colour a series, with their numbers where there is room.

    Args:
        names: N labels, shown literally.
        series: [N] each, by what it is called.
        theme: the look.
        axis: title of the vertical axis.
        width: pixels that the bars will have, without the axis.
        height: pixels of the bars, their names beneath not counted.
        limits: of the vertical axis; else what the bars need.

    Raises:
        ValueError: a series does not fit the names.
    """
    pitch = width / max(1, len(names))
    room = pitch >= 38 * len(series)
    data = [_bar(names, name, values, place, room) for place, (name, values) in enumerate(series.items())]
    names, angle, needed = _column_names(names, pitch)
    layout = base_layout(
        theme,
        height=round(height + needed),
        bargap=0.25,
        xaxis=token_axis(theme, names, "", _SIZE, tickangle=angle),
        yaxis=number_axis(theme, axis, **({"range": limits} if limits else {})),
        showlegend=len(series) > 1,
        legend=level_legend(),
        margin={"l": 64, "r": 16, "t": 34 if len(series) > 1 else 18, "b": round(needed) + 14},
    )
    return go.Figure({"data": data, "layout": layout})


def _bar(names: Sequence[str], name: str, values: np.ndarray, place: int, numbered: bool) -> dict[str, Any]:
    if values.shape != (len(names),) or not names:
        raise ValueError(f"“{name}” has shape {values.shape}, but there are {len(names)} names")
    texts = [number(value) for value in values]
    return {
        "type": "bar",
        "name": html.escape(name, quote=False),
        "x": list(range(len(names))),
        "y": values.astype(np.float64),
        "marker": {"color": HEAD_COLOURS[place % len(HEAD_COLOURS)]},
        "customdata": texts,
        "hovertext": [shown(each) for each in names],
        "text": texts if numbered else None,
        "textposition": "outside",
        "textangle": 0,
        "constraintext": "none",
        "textfont": {"size": 14},
        "cliponaxis": False,
        "hovertemplate": "%{hovertext}: <b>%{customdata}</b><extra></extra>",
    }


def cells(
    values: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    theme: Theme,
    *,
    texts: Sequence[Sequence[str]] | None = None,
    axis: str = "",
    limits: tuple[float, float] | None = None,
    most_height: int = 360,
    width: int = 900,
) -> go.Figure:
    """A table of numbers as coloured cells; NaN and what is missing stay blank.

    Args:
        values: [R, C].
        rows, columns: labels, R and C of them, shown literally.
        theme: the look.
        texts: what to write into the cells, where it fits; R rows of C.
        axis: title of the vertical axis.
        limits: values of the scale's ends, which goes both ways where the first is negative; else 0 and the largest.
        most_height: pixels that the rows take at most.
        width: pixels that there are.

    Raises:
        ValueError: the labels do not fit.
    """
    if values.shape != (len(rows), len(columns)) or not values.size:
        raise ValueError(f"values have shape {values.shape}, but {len(rows)} rows and {len(columns)} columns are named")
    scale = limits or (0.0, max(float(np.nanmax(values, initial=0.0)), 1e-9))
    stops = theme.diverging if scale[0] < 0 else theme.scale
    layout = _cell_layout(rows, columns, theme, axis, most_height, width)
    wide = (layout["width"] - layout["margin"]["l"] - 16) / len(columns)
    inside = np.clip((np.nan_to_num(values) - scale[0]) / (scale[1] - scale[0]), 0, 1)
    colours = np.where(np.isnan(values)[..., None], rgb(theme.surface), on_scale(inside, stops))
    written = _written(texts, colours, wide) if texts is not None else []
    heat = _heat(values, scale, stops, wide)
    if "" in (*layout["xaxis"]["ticktext"], *layout["yaxis"]["ticktext"]):  # the axes do not name every cell
        heat |= _hover(rows, columns)
    return go.Figure({"data": [heat, *written], "layout": layout})


def _hover(rows: Sequence[str], columns: Sequence[str]) -> dict[str, Any]:
    """What is said of each cell where its row and its column are not both written."""
    named = [[f"{shown(row)}, {shown(column)}" for column in columns] for row in rows]
    return {"hovertext": named, "hovertemplate": "%{hovertext}: <b>%{z:.4~g}</b><extra></extra>"}


def _heat(
    values: np.ndarray, scale: tuple[float, float], stops: Sequence[tuple[float, str]], wide: float
) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "z": values.astype(np.float32),
        "zmin": scale[0],
        "zmax": scale[1],
        "colorscale": scale_of(stops),
        "showscale": False,
        "xgap": 1 if wide >= 8 else 0,
        "ygap": 1 if len(values) <= 60 else 0,
        "hovertemplate": "%{y}, %{x}: <b>%{z:.4~g}</b><extra></extra>",
    }


def _cell_layout(
    rows: Sequence[str], columns: Sequence[str], theme: Theme, axis: str, most_height: int, width: int
) -> dict[str, Any]:
    """Cells as large as fit, with room for their labels."""
    left = label_width(rows, _SIZE) + (52 if axis else 20)
    wide, tall = min(72.0, (width - left - 16) / len(columns)), min(34.0, most_height / len(rows))
    columns, angle, needed = _column_names(columns, wide)
    rows, _ = labels_apart(rows, tall)
    top = round(needed) + 14
    return base_layout(
        theme,
        width=round(left + wide * len(columns) + 16),
        height=round(tall * len(rows)) + top + 12,
        margin={"l": round(left), "r": 16, "t": top, "b": 12},
        xaxis=token_axis(theme, columns, "", _SIZE, side="top", tickangle=angle),
        yaxis=token_axis(theme, rows, axis, _SIZE, range=[len(rows) - 0.5, -0.5]),
        plot_bgcolor=theme.surface,
        showlegend=False,
    )


def _column_names(names: Sequence[str], pitch: float) -> tuple[Sequence[str], float, float]:
    """Names of columns, with the angle and the height at which they are written: level, slanted, or upright.

    Chinese characters stand level: where only "<eos>" is too wide for that, it loses its brackets.
    """
    names, pitch = labels_apart(names, pitch)
    plain = [_SPECIAL.sub(r"\1", name) for name in names]
    closer = 4 if all(len(name) <= 3 for name in plain) else 0  # characters may touch, words may not
    for tried, room in ((names, pitch), (plain, pitch + closer)):
        if labels_fit([name for name in tried if name], _SIZE, room):
            return tried, 0, _SIZE
    needed = label_width(names, _SIZE)
    return (names, -45, 0.72 * (needed + _SIZE)) if pitch >= 26 else (names, -90, needed)


def _written(texts: Sequence[Sequence[str]], colours: np.ndarray, wide: float) -> list[dict[str, Any]]:
    """Texts in the cells, at the size at which the longest fits; none where that is too small to read."""
    longest = label_width([text for row in texts for text in row], 1)
    size = min(15.0, (wide - 6) / max(1.0, longest))
    return printed(texts, colours, size) if size >= 11 else []
