"""What carrying one thing from a sentence into another does: pictures of all of it, and the words of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from model.trace import KINDS, TracedTranslation
from viz.charts.colour import on_scale, printed
from viz.charts.layout import base_layout, chart_config, column_labels, label_width, panel_title, scale_of, token_axis
from viz.charts.markup import Words, line
from viz.core.choice import say, within
from viz.core.numbers import number, shown_piece
from viz.core.session import Session
from viz.core.theme import Theme
from viz.widgets.head_board import Board, head_board
from viz.widgets.head_facts import NO_BREAK, title

if TYPE_CHECKING:
    from model.analysis.what_if.patching import Carried, Contrast, Sweep

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
    """One side's states."""

    title: str  # above it
    letter: str  # with which the codes of its cells begin
    shares: np.ndarray  # [levels, tokens], 1 is all; NaN where nothing can be carried
    tokens: Sequence[str]  # shown literally
    chosen: tuple[int, int] | None = None  # level and place of the cell that is framed
    reached: tuple[int, int] | None = None  # lowest level and first place of what changes with it


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
    for nth, panel in enumerate(panels):
        place, end = str(nth + 1) if nth else "", start + wide * len(panel.tokens) / inner
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


def tokens_of(found: TracedTranslation, about: Contrast, pieces: Sequence[str]) -> dict[str, list[str]]:
    """The tokens of either side that have states: the source with its end, and what the decoder has read."""
    return {"src": [label.text for label in found.trace.src], "tgt": ["<bos>", *pieces[: len(about.before)]]}


def site_name(site: Carried, tokens: dict[str, list[str]]) -> str:
    """What is carried, as the visitor reads it."""
    if site.head:
        return title(site.head)
    level = say("states.embedding") if site.level == 0 else say("states.after", layer=site.level - 1)
    return say(f"carry.state.{site.side}", token=shown_piece(tokens[site.side][site.place]), level=level)


def percent(share: float) -> str:
    """A share as the visitor reads it."""
    return f"{number(100 * share, 0)}{NO_BREAK}%"


def choose_site(code: str) -> None:
    """Carry this; to be called in a widget's callback."""
    st.session_state["carry"] = code


def heads_board(now: Session, found: Sweep, chosen: Carried) -> None:
    """What carrying each head moves; a click chooses one."""
    board = Board(
        found.heads,
        {kind: say(f"kind.{kind}") for kind in KINDS},
        lambda share: number(100 * share, 0),
        percent,
        top=max(0.01, *(float(np.nanmax(np.abs(each))) for each in found.heads.values())),
        signed=True,
    )
    head_board(
        board,
        selected=chosen.head,
        theme=now.theme,
        labels=within("carry"),
        key="carried_heads",
        on_open=lambda head: choose_site(head.code),
    )


def states_chart(
    now: Session, found: Sweep, chosen: Carried, tokens: dict[str, list[str]], called: dict[str, str]
) -> None:
    """What carrying each state moves; a click chooses one. ``called`` is what the two passes are called."""

    def clicked() -> None:
        points = st.session_state["carried_states"]["selection"]["points"]
        if points and isinstance(code := points[0].get("customdata"), str | list):
            choose_site(code if isinstance(code, str) else str(code[0]))

    panels = [
        StatePanel(
            say(f"carry.panel.{side}"),
            side[0],
            found.states[side],
            [shown_piece(token) for token in tokens[side]],
            (chosen.level, chosen.place) if chosen.head is None and chosen.side == side else None,
            reached(chosen, side),
        )
        for side in ("src", "tgt")
    ]
    figure = states_figure(panels, now.theme, StatesText.said_by(say))
    config = {**chart_config("headlight-patching"), "displayModeBar": False}
    alt = say("carry.states.alt", other=called["other"])
    st.plotly_chart(
        figure, key="carried_states", width="content", theme=None, config=config, alt=alt,
        on_select=clicked, selection_mode="points",
    )  # fmt: skip


def reached(site: Carried, side: str) -> tuple[int, int] | None:
    """The lowest level and the first place of a side whose states can change with a site; None where none can.

    A state reaches everything above it, of the target only from its own place on; the source's reach the target's
    from the first layer's end on, through cross-attention.
    """
    of_source = site.side == "src" if site.head is None else site.head.kind == "encoder_self"
    if side == "src":
        if not of_source:
            return None
        return (site.head.layer + 1, 0) if site.head else (site.level + 1, 0)
    if of_source:
        return 1, 0
    return (site.head.layer + 1, 0) if site.head else (site.level + 1, site.place)


def told(
    found: Sweep, before: Sequence[str], pieces: tuple[str, str], called: dict[str, str], head: str, state: str
) -> None:
    """Where the translations part, and what moves that most."""
    said = {
        "before": "".join(each.removeprefix("##") for each in before) or "<bos>",
        "written": pieces[0],
        "rival": pieces[1],
        "own": number(found.plain[0]),
        "own_rival": number(found.plain[1]),
        "other_own": number(found.other[0]),
        "other_rival": number(found.other[1]),
        **called,
    }
    st.html(line("alt", say("carry.lead", **said), " ", say("carry.best", head=head, state=state)))
