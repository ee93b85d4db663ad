"""What carrying each state of a model moves: levels up, tokens across, the source and the target side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.charts.colour import on_scale, printed
from viz.charts.layout import base_layout, column_labels, label_width, panel_title, scale_of, token_axis
from viz.charts.words import Words
from viz.core.theme import Theme

_LEFT, _BETWEEN, _RIGHT, _TALL = 92, 112, 16, 30  # pixels
_MOST_WIDE, _WHOLE = 56.0, 1180


@dataclass(frozen=True)
class StatesText(Words):
    """The words of the figure, in the visitor's language; ``hover`` and ``none`` have places for a cell."""

    PREFIX = "states"

    embedding: str
    after: str
    hover: str
    none: str


@dataclass(frozen=True)
class StatePanel:
    """One side's states.

    Attributes:
        title: above it.
        letter: with which the codes of its cells begin.
        shares: [levels, tokens], 1 is all; NaN where nothing can be carried.
        tokens: shown literally.
        chosen: level and place of the cell that is framed.
        reached: lowest level and first place of what changes with it.
    """

    title: str
    letter: str
    shares: np.ndarray
    tokens: Sequence[str]
    chosen: tuple[int, int] | None = None
    reached: tuple[int, int] | None = None


def states_figure(panels: Sequence[StatePanel], theme: Theme, text: StatesText) -> go.Figure:
    """A heatmap a side whose cells can be clicked: each has its code, "s2.4", as its custom data.

    What can change with the chosen cell has a dashed frame.

    Raises:
        ValueError: shares and tokens do not fit.
    """
    for panel in panels:
        if panel.shares.ndim != 2 or panel.shares.shape[1] != len(panel.tokens) or not panel.shares.size:
            raise ValueError(f"shares {panel.shares.shape} for {len(panel.tokens)} tokens")
    margins = _LEFT + _RIGHT + _BETWEEN * (len(panels) - 1)
    wide = min(_MOST_WIDE, (_WHOLE - margins) / sum(len(panel.tokens) for panel in panels))
    bottom = 12 + max(max(column_labels(p.tokens, 14, wide)[2], label_width(p.tokens, 7)) for p in panels)
    width = margins + wide * sum(len(panel.tokens) for panel in panels)
    layout = base_layout(
        theme,
        width=round(width),
        height=round(40 + bottom + _TALL * max(len(panel.shares) for panel in panels)),
        margin={"l": _LEFT, "r": _RIGHT, "t": 32, "b": round(bottom)},
        plot_bgcolor=theme.surface,
        showlegend=False,
        dragmode=False,
    )
    data: list[dict[str, Any]] = []
    shapes, titles, start, inner = [], [], 0.0, width - _LEFT - _RIGHT
    for number, panel in enumerate(panels):
        place, end = str(number + 1) if number else "", start + wide * len(panel.tokens) / inner
        layout |= _axes(panel, place, [start, min(1.0, end)], wide, theme, text)
        data += _cells(panel, place, theme, text, wide)
        shapes += _frames(panel, place, theme)
        titles.append(panel_title(panel.title, start, theme, whole=True))
        start = end + _BETWEEN / inner
    return go.Figure({"data": data, "layout": {**layout, "annotations": titles, "shapes": shapes}}, _validate=False)


def _axes(
    panel: StatePanel, place: str, domain: list[float], wide: float, theme: Theme, text: StatesText
) -> dict[str, Any]:
    size, angle, _ = column_labels(panel.tokens, 14, wide)
    levels = [text.embedding, *(text.after.format(layer=layer) for layer in range(len(panel.shares) - 1))]
    known: dict[str, Any] = {"automargin": False, "fixedrange": True}
    return {
        f"xaxis{place}": token_axis(theme, panel.tokens, "", size, tickangle=angle, **known)
        | {"domain": domain, "anchor": f"y{place}"},
        f"yaxis{place}": token_axis(theme, levels, "", 13, **known) | {"anchor": f"x{place}"},
    }


def _cells(panel: StatePanel, place: str, theme: Theme, text: StatesText, wide: float) -> list[dict[str, Any]]:
    """Colours, numbers, and points that take the click."""
    axes = {"xaxis": f"x{place}", "yaxis": f"y{place}"}
    known = ~np.isnan(panel.shares)
    values = np.clip(np.nan_to_num(panel.shares), -1, 1)
    heat = {
        "type": "heatmap", "z": np.where(known, values, np.nan), "zmin": -1, "zmax": 1, "showscale": False,
        "colorscale": scale_of(theme.diverging), "xgap": 1, "ygap": 1, "hoverinfo": "skip", **axes,
    }  # fmt: skip
    percents = [[_percent(share) for share in row] for row in panel.shares]
    inks = printed(percents, on_scale((values + 1) / 2, theme.diverging), min(13.0, wide * 0.32)) if wide >= 24 else []
    level, token = np.indices(panel.shares.shape)
    said = [
        (text.hover if known[at] else text.none).format(share=_percent(float(panel.shares[at])) or "0")
        for at in np.ndindex(*panel.shares.shape)
    ]
    points = {
        "type": "scatter", "mode": "markers", "x": token.ravel(), "y": level.ravel(), "text": said,
        "customdata": [f"{panel.letter}{row}.{column}" for row, column in np.ndindex(*panel.shares.shape)],
        "marker": {"symbol": "square", "size": min(wide, _TALL), "opacity": 0, "color": theme.accent},
        "hovertemplate": "%{x} · %{y}<br>%{text}<extra></extra>", **axes,
    }  # fmt: skip
    return [heat, *({**ink, **axes} for ink in inks), points]


def _percent(share: float) -> str:
    """A share in percent, without its sign where that rounds to nothing; "×" for none."""
    if np.isnan(share):
        return "×"
    return f"{100 * share:.0f}".replace("-0", "").replace("-", "−") if abs(share) >= 0.01 else ""


def _frames(panel: StatePanel, place: str, theme: Theme) -> list[dict[str, Any]]:
    """Around the chosen cell, and around what can change with it."""
    axes = {"type": "rect", "xref": f"x{place}", "yref": f"y{place}"}
    frames = []
    if panel.reached is not None and panel.reached[0] < len(panel.shares):
        level, first = panel.reached
        ends = {"x0": first - 0.5, "x1": len(panel.tokens) - 0.5, "y0": level - 0.5, "y1": len(panel.shares) - 0.5}
        frames.append({**axes, **ends, "line": {"color": theme.accent, "width": 2, "dash": "dot"}})
    if panel.chosen is not None:
        level, first = panel.chosen
        ends = {"x0": first - 0.5, "x1": first + 0.5, "y0": level - 0.5, "y1": level + 0.5}
        frames.append({**axes, **ends, "line": {"color": theme.accent, "width": 3}})
    return frames
