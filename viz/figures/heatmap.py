"""One head's map as a labelled heatmap, and the same in words."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.figures.colour import on_scale, printed, rgb
from viz.figures.layout import (
    PAGE_WIDTH,
    base_layout,
    chart_config,
    colour_bar,
    column_labels,
    label_width,
    scale_of,
    token_axis,
)
from viz.figures.words import Words
from viz.numbers import number
from viz.theme import Theme

heatmap_config = chart_config
MOST_PRINTED = 16  # rows or columns up to which every weight is printed in its cell
LOG_FLOOR = 1e-4  # the smallest weight that log colour tells from smaller ones
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
    writes: str
    summary: str


def attention_heatmap(
    weights: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str,
    theme: Theme,
    own_scale: bool = False,
    log: bool = False,
    threshold: float = 0.0,
    writes: Sequence[str] | None = None,
    text: HeatmapText,
    high: float = 1.0,
    signed: bool = False,
) -> go.Figure:
    """Heatmap of one head: queries down, keys across, keys named on top.

    Args:
        weights: one head's weights, or other values, [Q, K].
        rows, columns: the tokens, Q and K of them; shown literally.
        title: says which head this is, or what was combined.
        theme: the look.
        own_scale: colour up to this map's own maximum instead of ``high``.
        log: colour by the logarithm; exact zeros stay blank, the colour bar names real weights; not
            for signed values.
        threshold: cells with a smaller size, as a share of ``high``, are blank; hovering still tells it.
        writes: for a decoder, the token that each row went on to write, Q of them.
        text: the words of axes and hover.
        high: where the colour scale ends.
        signed: the scale runs from −high to high, in the theme's diverging colours.

    Raises:
        ValueError: the shapes do not fit each other, or ``high`` is not above 0.
    """
    weights = np.asarray(weights, dtype=np.float32)
    _check(weights, rows, columns, writes)
    scale = _Scale(theme.diverging if signed else theme.scale, high, own_scale, log and not signed, threshold, signed)
    traces = _traces(weights, scale, theme, text, writes)
    # Looking up every property takes Plotly longer than all the rest of a redraw; the tests of the pages do it.
    return go.Figure({"data": traces, "layout": _layout(rows, columns, title, theme, text)}, _validate=False)


def divided(figure: go.Figure, place: int, theme: Theme) -> go.Figure:
    """The heatmap with a line before a token on both sides: where a prompt ends."""
    at = place - 0.5
    look = {"type": "line", "line": {"color": theme.accent, "width": 1.5}}
    across = {**look, "xref": "paper", "x0": 0, "x1": 1, "y0": at, "y1": at}
    down = {**look, "yref": "paper", "y0": 0, "y1": 1, "x0": at, "x1": at}
    return figure.update_layout(shapes=[*figure.layout.shapes, across, down])


def heatmap_summary(weights: np.ndarray, rows: Sequence[str], columns: Sequence[str], text: HeatmapText) -> str:
    """The alternative text of a map: which query attends most to which key, the most decided first.

    Raises:
        ValueError: the shapes do not fit each other.
    """
    weights = np.asarray(weights, dtype=np.float32)
    _check(weights, rows, columns, None)
    strongest = np.abs(weights).argmax(axis=1)
    found = np.take_along_axis(weights, strongest[:, None], axis=1)[:, 0]
    decided = np.argsort(-np.abs(found), kind="stable")[:SUMMARY_ROWS]
    pairs = ", ".join(f"{rows[q]} → {columns[strongest[q]]} {number(found[q])}" for q in decided)
    return text.summary.format(rows=len(rows), columns=len(columns), pairs=pairs)


def cell_size(n: int) -> float:
    """Height in pixels of a cell where the longer side has n tokens: large maps grow, but not without end."""
    smallest = 15.0 if n <= 80 else 11.0
    return float(min(64.0, max(smallest, 540.0 / n)))


def _check(weights: np.ndarray, rows: Sequence[str], columns: Sequence[str], writes: Sequence[str] | None) -> None:
    expected = (len(rows), len(columns))
    if weights.shape != expected or not weights.size:
        raise ValueError(f"weights have shape {weights.shape}, but rows and columns name {expected} tokens")
    if writes is not None and len(writes) != len(rows):
        raise ValueError(f"writes names {len(writes)} tokens, but there are {len(rows)} rows")


def _hover(text: HeatmapText, writes: bool) -> str:
    """The template; tokens come from the axes' tick text and from customdata, never from here."""
    lines = [
        f"{html.escape(text.hover_query)} <b>%{{y}}</b>",
        f"{html.escape(text.hover_key)} <b>%{{x}}</b>",
        f"{html.escape(text.weight)} <b>%{{text:.4f}}</b>",
    ]
    if writes:
        lines.append(f"{html.escape(text.writes)} <b>%{{customdata}}</b>")
    return "<br>".join(lines) + "<extra></extra>"


@dataclass(frozen=True)
class _Scale:
    """How values become colours: stops, end, and the switches of ``attention_heatmap``."""

    stops: Sequence[tuple[float, str]]
    high: float
    own: bool
    log: bool
    threshold: float
    signed: bool

    def __post_init__(self) -> None:
        if not self.high > 0:
            raise ValueError(f"high must be above 0, got {self.high}")


def _traces(
    weights: np.ndarray, scale: _Scale, theme: Theme, text: HeatmapText, writes: Sequence[str] | None
) -> list[dict[str, Any]]:
    """The map, and where it is small its numbers."""
    cell = cell_size(max(weights.shape))
    heat: dict[str, Any] = {
        "type": "heatmap",
        "text": weights,
        "hoverongaps": True,
        "hovertemplate": _hover(text, writes is not None),
        "xgap": 1 if cell >= 20 else 0,
        "ygap": 1 if cell >= 20 else 0,
        "colorscale": scale_of(scale.stops),
        **_colouring(weights, scale, theme, text),
    }
    if writes is not None:
        heat["customdata"] = [[html.escape(token, quote=False)] * weights.shape[1] for token in writes]
    few = max(weights.shape) <= MOST_PRINTED
    return [heat, *(_printed(weights, heat, scale, theme, min(14.0, cell * 0.36)) if few else [])]


def _colouring(weights: np.ndarray, scale: _Scale, theme: Theme, text: HeatmapText) -> dict[str, Any]:
    """Colour values (NaN where blank), their limits, and a colour bar in real weights."""
    sizes = np.abs(weights)
    seen = np.where(sizes >= scale.threshold * scale.high, weights, np.float32(np.nan))
    top = float(sizes.max()) if scale.own and sizes.max() > 0 else scale.high
    if not scale.log:
        return {
            "z": seen,
            "zmin": -top if scale.signed else 0.0,
            "zmax": top,
            "colorbar": colour_bar(theme, text.weight),
        }
    positive = weights[weights > 0]
    bottom = float(positive.min()) if scale.own and positive.size else LOG_FLOOR * scale.high
    bottom = max(min(bottom, top / 10), top * LOG_FLOOR)
    values = np.where(seen > 0, np.log10(np.maximum(seen, bottom)), np.nan).astype(np.float32)
    low, high = np.log10(bottom), np.log10(top)
    powers = range(int(np.ceil(low)), int(np.floor(high)) + 1)
    ticks = [low, *(power for power in powers if low + 0.2 < power < high - 0.2), high]
    names = [f"{10.0**tick:.3g}" for tick in ticks]
    names[0] = f"≤ {names[0]}"
    bar = colour_bar(theme, text.weight, tickmode="array", tickvals=ticks, ticktext=names)
    return {"z": values, "zmin": low, "zmax": high, "colorbar": bar}


def _printed(
    weights: np.ndarray, heat: dict[str, Any], scale: _Scale, theme: Theme, size: float
) -> list[dict[str, Any]]:
    """The weights as text in their cells; what rounds to nothing is faint."""
    share = (heat["z"] - heat["zmin"]) / (heat["zmax"] - heat["zmin"])
    colours = np.where(np.isnan(share)[..., None], rgb(theme.surface), on_scale(np.nan_to_num(share), scale.stops))
    digits = 1 if np.abs(weights).max() >= 10 else 2
    texts = [[number(weight, digits) if weight else "0" for weight in row] for row in weights]
    return printed(texts, colours, size, faint=np.abs(weights) < 0.005 * scale.high)


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
