"""What may look at what: padding, the future, both, and −∞ becoming 0."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from model.analysis.lessons import masks
from model.analysis.lessons.masks import BatchMask, source_batch, target_batch
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
from viz.charts.row_steps import StepsText, steps_figure
from viz.charts.words import Words
from viz.core.answers.translations import trace
from viz.core.language import say
from viz.core.models import own_translator
from viz.core.session import Session, choose_head
from viz.core.theme import Theme
from viz.widgets.bar import bar
from viz.widgets.chart import draw, lead, slider
from viz.widgets.picker import pick

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


@st.cache_data(max_entries=16, show_spinner=False)
def _batch(text: str, checkpoint: str, target: bool) -> BatchMask:
    make = target_batch if target else source_batch
    return make(own_translator(checkpoint), masks.sentences_of(text))


def batch(now: Session, target: bool) -> BatchMask:
    """The sentences that the visitor typed, one a line, and their masks."""
    st.session_state.setdefault("batch", masks.opening_batch(now.model.examples))
    with st.form("sentences", border=False):
        st.text_area(say("masks.batch"), key="batch", height=110, help=say("masks.batch.help"), bind="query-params")
        st.form_submit_button(say("masks.batch.show"))
    return _batch(st.session_state["batch"], now.checkpoint, target)


def _padding(now: Session) -> None:
    place = st.container()
    made = batch(now, target=False)
    rows, columns = made.padding.shape
    figure = batch_figure(made.padding, made.tokens, now.theme, MaskText.said_by(say))
    with place:
        draw(figure, "masks.padding", fits=True, rows=rows, columns=columns, hidden=int((~made.padding).sum()))


def _causal(now: Session) -> None:
    size = slider("masks.size", "size", 2, 60, 20)
    names = [str(place) for place in range(size)]
    figure = mask_figure(masks.causal(size), names, names, now.theme, MaskText.said_by(say), size=560)
    draw(figure, "masks.causal", fits=True, size=size)


def _combined(now: Session) -> None:
    made = batch(now, target=True)
    assert made.combined is not None  # a target batch has it
    padded = 1 + int((~made.padding).any(axis=1).argmax())
    number = slider("masks.which", "which", 1, len(made.tokens), padded) - 1
    tokens, both = made.tokens[number], made.combined[number]
    figure = combination_figure(
        made.padding[number], masks.causal(len(tokens)), both, tokens, now.theme, MaskText.said_by(say)
    )
    draw(figure, "masks.combined", sentence=number + 1, text=made.text[number], hidden=int((~both).sum()))


def _triu(now: Session) -> None:
    size = slider("masks.triu_size", "n", 3, 12, 6)
    lead("masks.triu")
    names = [str(place) for place in range(size)]
    for column, k in zip(st.columns(3), masks.TRIU_OFFSETS, strict=True):
        made = masks.triu(size, k)
        with column:
            st.markdown(f"`np.triu(np.ones(({size}, {size})), k={k})`" + (" ✓" if made.is_causal else ""))
            figure = mask_figure(
                made.ones == 0,
                names,
                names,
                now.theme,
                MaskText.said_by(say),
                numbers=made.ones,
                blind=made.blind,
                size=260,
            )
            draw(figure, f"masks.triu.{k}", fits=True, size=size)


def _steps(now: Session) -> None:
    found = trace(now.subject)
    rows, columns = found.axis_tokens(now.kind)
    row = slider("masks.row", "row", 0, len(rows) - 1, min(4, len(rows) // 2))
    made = masks.row_steps(found, *now.head, row)
    hidden = int((made.scores != made.masked).sum())
    lead(f"masks.steps.{'hides' if hidden else 'open'}", hidden=hidden)
    if now.kind != "decoder_self":
        st.button(say("masks.steps.choose"), on_click=choose_head, args=(now.head._replace(kind="decoder_self"),))
    figure = steps_figure((made.scores, made.masked, made.weights), columns, now.theme, StepsText.said_by(say))
    kind, place, error = say(f"kind.{now.kind}"), now.head.title, f"{made.error:.0e}"
    draw(figure, "masks.steps", fits=True, kind=kind, place=place, row=row, token=rows[row], error=error)


_VIEWS = {"padding": _padding, "causal": _causal, "combined": _combined, "triu": _triu, "steps": _steps}


def view(session: Session) -> None:
    """The chosen mask."""
    with bar():
        chosen = pick("mask", labelled=False)
    _VIEWS[chosen](session)
