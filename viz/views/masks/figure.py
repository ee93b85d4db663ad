"""Masks in pictures: which query may attend to which key."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from viz.charts.colour import printed, rgb
from viz.charts.layout import (
    PAGE_WIDTH,
    base_layout,
    column_labels,
    label_width,
    labels_apart,
    panel_place,
    shown,
    token_axis,
)
from viz.charts.words import Words
from viz.core.theme import Theme

BLIND = "#D55E00"
_GAP = 0.06
_SIZE = 14  # pixels of a label


@dataclass(frozen=True)
class MaskText(Words):
    """The words of these figures, in the visitor's language."""

    PREFIX = "masks.axis"

    query: str
    key: str
    sentence: str
    position: str
    may: str
    hidden: str
    blind: str
    padding: str
    causal: str
    both: str


def batch_figure(mask: np.ndarray, tokens: Sequence[Sequence[str]], theme: Theme, text: MaskText) -> go.Figure:
    """A padding mask over its batch: one row a sentence, one cell a token.

    Args:
        mask: bool [B, K], True = may attend.
        tokens: B rows of K tokens, padding included; shown literally.
        theme: the look.
        text: the words.

    Raises:
        ValueError: the shapes do not fit each other.
    """
    if mask.shape != (len(tokens), len(tokens[0]) if tokens else 0) or any(
        len(row) != len(tokens[0]) for row in tokens
    ):
        raise ValueError(f"mask has shape {mask.shape}, but the rows hold {[len(row) for row in tokens]} tokens")
    names = [f"{text.sentence} {number + 1}" for number in range(len(tokens))]
    columns = [str(place) for place in range(mask.shape[1])]
    left = label_width(names, 15) + 24
    wide = min(88.0, (PAGE_WIDTH - left - 16) / len(columns))
    heat = _mask(mask, theme, "%{y}, %{x}: <b>%{text}</b><extra></extra>")
    heat["text"] = [[shown(token) for token in row] for row in tokens]
    data = [heat, *_legend(theme, text, False), *_cells(mask, tokens, theme, wide)]
    layout = base_layout(
        theme,
        width=max(520, round(left + wide * len(columns) + 16)),
        height=104 + 48 * len(tokens),
        margin={"l": round(left), "r": 16, "t": 88, "b": 16},
        xaxis=token_axis(theme, columns, text.position, _SIZE, side="top", tickangle=0, showticklabels=wide >= 20),
        yaxis=token_axis(theme, names, "", 15, range=[len(tokens) - 0.5, -0.5]),
        legend=_legend_place(),
    )
    return go.Figure({"data": data, "layout": layout})


def mask_figure(
    mask: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    theme: Theme,
    text: MaskText,
    *,
    numbers: np.ndarray | None = None,
    blind: Sequence[int] = (),
    size: float = 420.0,
) -> go.Figure:
    """One mask: queries down, keys across.

    Args:
        mask: bool [Q, K], True = may attend.
        rows, columns: labels, Q and K of them.
        theme: the look.
        text: the words.
        numbers: what to write into the cells, [Q, K].
        blind: rows to mark because their query sees no key.
        size: pixels that the longer side of the matrix takes.

    Raises:
        ValueError: the shapes do not fit each other.
    """
    _check(mask, rows, columns)
    cell = min(48.0, size / max(mask.shape))
    heat = _mask(mask, theme, _pair_hover(text, "%{customdata[0]}", "%{customdata[1]}"))
    heat["customdata"] = [[(shown(row), shown(column)) for column in columns] for row in rows]
    data = [heat, *_legend(theme, text, bool(blind))]
    if numbers is not None:
        data += _cells(mask, [[str(value) for value in row] for row in numbers], theme, cell)
    layout = _mask_layout(rows, columns, cell, theme, text)
    layout["shapes"] = [_outline(row, len(columns)) for row in blind]
    return go.Figure({"data": data, "layout": layout})


def _mask_layout(
    rows: Sequence[str], columns: Sequence[str], cell: float, theme: Theme, text: MaskText
) -> dict[str, Any]:
    """Labels that would touch are left out rather than turned."""
    left, apart = label_width(rows, _SIZE) + 52, label_width(columns, _SIZE) + 4
    columns, rows = labels_apart(columns, cell, apart)[0], labels_apart(rows, cell)[0]
    return base_layout(
        theme,
        width=max(340, round(left + cell * len(columns) + 24)),
        height=round(96 + _SIZE + cell * len(rows) + 16),
        margin={"l": round(left), "r": 24, "t": 96 + _SIZE, "b": 16},
        xaxis=token_axis(theme, columns, text.key, _SIZE, side="top", tickangle=0),
        yaxis=token_axis(theme, rows, text.query, _SIZE, range=[len(rows) - 0.5, -0.5]),
        legend=_legend_place(),
    )


def combination_figure(
    padding: np.ndarray,
    causal: np.ndarray,
    both: np.ndarray,
    tokens: Sequence[str],
    theme: Theme,
    text: MaskText,
) -> go.Figure:
    """Padding mask & causal mask = what the decoder uses, side by side over the same tokens.

    Args:
        padding: bool [T]; the same for every query.
        causal, both: bool [T, T].
        tokens: T labels.
        theme: the look.
        text: the words.

    Raises:
        ValueError: the shapes do not fit each other.
    """
    for mask in (causal, both):
        _check(mask, tokens, tokens)
    if padding.shape != (len(tokens),):
        raise ValueError(f"padding has shape {padding.shape}, but there are {len(tokens)} tokens")
    masks = (np.broadcast_to(padding, causal.shape), causal, both)
    data = [
        _mask(mask, theme, _pair_hover(text)) | {"xaxis": f"x{place}", "yaxis": f"y{place}"}
        for place, mask in zip(("", "2", "3"), masks, strict=True)
    ]
    return go.Figure({"data": [*data, *_legend(theme, text, False)], "layout": _three(tokens, theme, text)})


def _three(tokens: Sequence[str], theme: Theme, text: MaskText) -> dict[str, Any]:
    """Three masks side by side over the same tokens."""
    font = min(14.0, max(6.0, 300 / len(tokens) * 0.75))
    left = label_width(tokens, font) + 52
    side = (PAGE_WIDTH - left - 16) / 3 * (1 - _GAP)
    column_size, angle, needed = column_labels(tokens, font, side / len(tokens))
    layout = base_layout(
        theme,
        height=round(min(side, 30 * len(tokens)) + 112 + needed),
        margin={"l": round(left), "r": 16, "t": round(72 + needed), "b": 40},
        legend=_legend_place(-0.04, "top"),
    )
    for number, name in enumerate((text.padding, f"& {text.causal}", f"= {text.both}")):
        place, domain = panel_place(number, 3, _GAP)
        across = {"domain": domain, "anchor": f"y{place}", "side": "top", "tickangle": angle}
        layout[f"xaxis{place}"] = token_axis(theme, tokens, name, column_size, **across)
        down = {"range": [len(tokens) - 0.5, -0.5], "anchor": f"x{place}", "showticklabels": number == 0}
        layout[f"yaxis{place}"] = token_axis(theme, tokens, text.query if number == 0 else "", font, **down)
    return layout


def _check(mask: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> None:
    if mask.shape != (len(rows), len(columns)) or not mask.size:
        raise ValueError(f"mask has shape {mask.shape}, but rows and columns name {(len(rows), len(columns))} tokens")


def _pair_hover(text: MaskText, query: str = "%{y}", key: str = "%{x}") -> str:
    return f"{html.escape(text.query)} <b>{query}</b><br>{html.escape(text.key)} <b>{key}</b><extra></extra>"


def _mask(mask: np.ndarray, theme: Theme, hover: str) -> dict[str, Any]:
    gap = 1 if max(mask.shape) <= 60 else 0
    return {
        "type": "heatmap",
        "z": mask.astype(np.uint8),
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, theme.surface], [1, theme.scale[3][1]]],
        "showscale": False,
        "xgap": gap,
        "ygap": gap,
        "hovertemplate": hover,
    }


def _cells(mask: np.ndarray, texts: Sequence[Sequence[str]], theme: Theme, wide: float) -> list[dict[str, Any]]:
    """Texts in the cells, if they fit; those in hidden cells are faint."""
    size = min(15.0, (wide - 4) / label_width([text for row in texts for text in row], 1.0))
    if size < 9:
        return []
    colours = np.where(mask[..., None], rgb(theme.scale[3][1]), rgb(theme.surface))
    return printed([[shown(text) for text in row] for row in texts], colours, size, faint=~mask)


def _legend(theme: Theme, text: MaskText, blind: bool) -> list[dict[str, Any]]:
    entries = [(text.may, theme.scale[3][1], theme.scale[3][1]), (text.hidden, theme.surface, theme.muted)]
    if blind:
        entries.append((text.blind, "rgba(0,0,0,0)", BLIND))
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [None],
            "y": [None],
            "name": html.escape(name, quote=False),
            "marker": {"symbol": "square", "size": 14, "color": fill, "line": {"color": edge, "width": 2}},
            "hoverinfo": "skip",
        }
        for name, fill, edge in entries
    ]


def _legend_place(y: float = 1.0, anchor: str = "top") -> dict[str, Any]:
    place = {"orientation": "h", "x": 0, "xanchor": "left", "y": y, "yanchor": anchor, "font": {"size": 14}}
    return place | ({"yref": "container", "xref": "container"} if y >= 0 else {})


def _outline(row: int, columns: int) -> dict[str, Any]:
    line = {"color": BLIND, "width": 3}
    return {"type": "rect", "x0": -0.5, "x1": columns - 0.5, "y0": row - 0.47, "y1": row + 0.47, "line": line}
