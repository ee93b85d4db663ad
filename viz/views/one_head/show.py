"""The viewer on a page: what it is given, what becomes of what it tells, and what stands on the line over it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from model.attribution.methods import METHODS
from model.source import LacksAbilityError, require_of
from viz.core.answers.translations import trace
from viz.core.language import language
from viz.core.session import Session, chosen_token, read_session
from viz.views.one_head import chosen, take_along
from viz.views.one_head.component import workbench
from viz.views.one_head.packed import offered, packed
from viz.widgets import map_choice as drawing
from viz.widgets.bar import bar

MARGIN = 12  # pixels under the viewer
_MOVED = "_moved"  # whether the viewer has told of another chosen token


def show(now: Session, below: int) -> LacksAbilityError | None:
    """The viewer, and over it what can be taken away; what the model lacks of what a link asks for, to be said.

    Args:
        now: the visitor's choices.
        below: pixels to be left free under it.
    """
    with bar():  # nobody types there, but the link holds it
        st.text_input("viewer", key=chosen.KEY, bind="query-params", label_visibility="collapsed", width=1)
        st.html(f"<style>.st-key-{chosen.KEY} {{ display: none; }}</style>")
    lacks = None
    if now.method not in offered(now.subject):
        lacks, now = _lacking(now), replace(now, method="weights")
    now = chosen.settled(now)
    sent, name = packed(now.subject, language(), chosen.name_of(now))
    link = chosen.link_of(now)
    take_along.row(now, chosen.shown(now, link))
    workbench(sent, name, link, theme=now.theme, below=below, key="workbench", on_said=_told)
    drawing.prepare(now)
    return lacks


def _lacking(now: Session) -> LacksAbilityError | None:
    """Why there is nothing of what a link asks for; None where this model's attention has merely none of it."""
    try:
        require_of(now.model.facts.anatomy, now.checkpoint, *METHODS[now.method].needs)
    except LacksAbilityError as error:
        return error
    return None


def _told(link: str) -> None:
    """Choose what was chosen; the chosen token is the frame's, which must be drawn anew for another."""
    n_tokens = len(trace(read_session().subject).tgt_outputs)
    before = chosen_token(n_tokens)
    chosen.take(link)
    st.session_state[_MOVED] = chosen_token(n_tokens) != before


def token_moved() -> bool:
    """Whether the viewer has just told of another chosen token."""
    return bool(st.session_state.pop(_MOVED, False))
