"""What carrying one thing from a sentence into another does: pictures of all of it, and the words of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from model.trace import KINDS, TracedTranslation
from viz.charts.layout import chart_config
from viz.charts.markup import line
from viz.core.language import say, within
from viz.core.numbers import number
from viz.core.pieces import shown_piece
from viz.core.session import Session
from viz.views.patching.states import StatePanel, StatesText, states_figure
from viz.widgets.head_board import Board, head_board
from viz.widgets.head_facts import NO_BREAK, title

if TYPE_CHECKING:
    from model.analysis.what_if.patching import Carried, Contrast, Sweep


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
