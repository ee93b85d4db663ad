"""Maps of one head side by side on one scale, with what changed marked on their axes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.charts.colour import on_scale, printed
from viz.charts.heatmap import MOST_PRINTED, HeatmapText
from viz.charts.layout import (
    PAGE_WIDTH,
    base_layout,
    colour_bar,
    column_labels,
    label_width,
    panel_title,
    scale_of,
    shown,
    token_axis,
)
from viz.core.numbers import number
from viz.core.theme import Theme

_BETWEEN, _RIGHT = 24, 84  # pixels


@dataclass(frozen=True)
class Beside:
    """One of the maps."""

    title: str  # what stands above it
    weights: np.ndarray  # [Q, K]
    # rows, columns: its tokens, shown literally
    rows: Sequence[str]
    columns: Sequence[str]
    # changed_rows, changed_columns: places of tokens that another map does not have there
    changed_rows: Collection[int] = ()
    changed_columns: Collection[int] = ()


def beside_figure(
    maps: Sequence[Beside], theme: Theme, text: HeatmapText, high: float = 1.0, is_signed: bool = False
) -> go.Figure:
    """One or two heatmaps of equal cells on one scale: queries down, keys across; changed tokens are bold and coloured.

    Args:
        maps: one or two.
        high: where the colour scale ends, of all.
        is_signed: the scale runs from −high to high.

    Raises:
        ValueError: weights and labels do not fit.
    """
    for each in maps:
        if np.shape(each.weights) != (len(each.rows), len(each.columns)) or not np.size(each.weights):
            raise ValueError(f"weights {np.shape(each.weights)} for {len(each.rows)} rows, {len(each.columns)} columns")
    sizes = _sizes(maps)
    layout = base_layout(
        theme,
        width=round(sizes.inner + sizes.left + _RIGHT),
        height=round(sizes.top + sizes.tall * sizes.rows + 12),
        margin={"l": round(sizes.left), "r": _RIGHT, "t": round(sizes.top), "b": 12},
        plot_bgcolor=theme.surface,
        showlegend=False,
    )
    data: list[dict[str, Any]] = []
    titles, start = [], 0.0
    for place, each in zip(("", "2"), maps, strict=False):
        end = start + sizes.wide * len(each.columns) / sizes.inner
        layout |= _its_axes(each, place, [start, min(1.0, end)], sizes, theme)
        titles.append(panel_title(each.title, start, theme, whole=True) | {"yshift": sizes.top - 30})
        found = _map(each, place, theme, text, (high, is_signed), min(13.0, sizes.tall * 0.42, sizes.wide * 0.34))
        found[0]["showscale"] = each is maps[-1]
        data += found
        start = end + (sizes.left + _BETWEEN) / sizes.inner
    return go.Figure({"data": data, "layout": {**layout, "annotations": titles}}, _validate=False)


@dataclass(frozen=True)
class _Sizes:
    """Pixels: of a cell, of the left and the upper margin, and of all maps with what is between; and most rows."""

    wide: float
    tall: float
    left: float
    top: float
    inner: float
    rows: int


def _sizes(maps: Sequence[Beside]) -> _Sizes:
    rows, columns = max(len(each.rows) for each in maps), max(len(each.columns) for each in maps)
    left = max(label_width(each.rows, 14) for each in maps) + 40
    wide = min(52.0, (PAGE_WIDTH - len(maps) * (left + _BETWEEN) - _RIGHT) / len(maps) / columns)
    tall = min(40.0, max(15.0, min(wide, 290 / rows)))
    top = 40 + max(column_labels(each.columns, _label_size(wide), wide)[2] for each in maps)
    inner = (len(maps) - 1) * (left + _BETWEEN) + wide * sum(len(each.columns) for each in maps)
    return _Sizes(wide, tall, left, top, inner, rows)


def _label_size(wide: float) -> float:
    return min(14.0, max(9.0, wide * 0.9))


def _its_axes(each: Beside, place: str, domain: list[float], sizes: _Sizes, theme: Theme) -> dict[str, Any]:
    size, angle, _ = column_labels(each.columns, _label_size(sizes.wide), sizes.wide)
    across = {"side": "top", "tickangle": angle, "domain": domain, "anchor": f"y{place}"}
    down = {"range": [len(each.rows) - 0.5, -0.5], "domain": [1 - len(each.rows) / sizes.rows, 1.0]}
    return {
        f"xaxis{place}": _axis(each.columns, each.changed_columns, theme, size) | across,
        f"yaxis{place}": _axis(each.rows, each.changed_rows, theme, min(14.0, sizes.tall * 0.8))
        | down
        | {"anchor": f"x{place}"},
    }


def _axis(tokens: Sequence[str], changed: Collection[int], theme: Theme, size: float) -> dict[str, Any]:
    names = [shown(token) for token in tokens]
    marked = [
        f'<b style="color:{theme.accent}">{name}</b>' if place in changed else name for place, name in enumerate(names)
    ]
    return token_axis(theme, tokens, "", size, automargin=False, ticktext=marked)


def _map(
    each: Beside, place: str, theme: Theme, text: HeatmapText, scale: tuple[float, bool], size: float
) -> list[dict[str, Any]]:
    """One heatmap, with its numbers where they can be read."""
    high, is_signed = scale
    low, stops = (-high, theme.diverging) if is_signed else (0.0, theme.scale)
    weights = np.asarray(each.weights, np.float32)
    axes = {"xaxis": f"x{place}", "yaxis": f"y{place}"}
    heat: dict[str, Any] = {
        "type": "heatmap",
        "z": weights,
        "zmin": low,
        "zmax": high,
        "colorscale": scale_of(stops),
        "colorbar": colour_bar(theme, text.weight),
        "xgap": 1,
        "ygap": 1,
        "hovertemplate": "<b>%{y}</b> → <b>%{x}</b>: %{z:.4f}<extra></extra>",
        **axes,
    }
    if max(weights.shape) > MOST_PRINTED or size < 9:
        return [heat]
    texts = [[number(weight) if abs(weight) >= 0.005 * high else "" for weight in row] for row in weights]
    colours = on_scale((weights - low) / (high - low), stops)
    return [heat, *({**inked, **axes} for inked in printed(texts, colours, size))]
