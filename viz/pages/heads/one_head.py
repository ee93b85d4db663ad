"""One head's map, or several heads' as one, labelled, with its numbers, its meaning and its sanity."""

from __future__ import annotations

import streamlit as st

from model.trace import HeadRef
from viz.parts import combined, drawing, honesty_bar, one_map
from viz.parts.forms import patches
from viz.shell import pickers
from viz.shell.errors import told
from viz.shell.views import VIEWS
from viz.state import checkpoints
from viz.state.answers.translations import trace
from viz.state.language import say
from viz.state.view import choose_head, read_view

DISPLAY = ("own", "log", "min")


def step(layers: int, heads: int) -> None:
    """Go some layers up and heads to the right, round the ends."""
    now = read_view()
    n_layers, n_heads = trace(now.subject).weights[now.kind].shape[:2]
    choose_head(HeadRef(now.kind, (now.head.layer + layers) % n_layers, (now.head.head + heads) % n_heads))


def choose() -> None:
    """Which head, and how it is shown."""
    pickers.row(VIEWS["one_head"])
    with st.container(key="hl_keys", horizontal=True, vertical_alignment="center", gap="small"):
        for key, shortcut, layers, heads in (
            ("previous_head", "Left", 0, -1),
            ("next_head", "Right", 0, 1),
            ("layer_down", "Down", -1, 0),
            ("layer_up", "Up", 1, 0),
        ):
            name = say(f"one_head.{key}")
            st.button(name, key=key, shortcut=shortcut, on_click=step, args=(layers, heads), type="tertiary")
        with st.popover(say("one_head.display"), type="tertiary"):
            st.toggle(say("one_head.own"), key="own", help=say("one_head.own.help"), bind="query-params")
            st.toggle(say("one_head.log"), key="log", help=say("one_head.log.help"), bind="query-params")
            explained = say("one_head.threshold.help")
            st.slider(say("one_head.threshold"), 0.0, 1.0, 0.0, 0.01, key="min", help=explained, bind="query-params")


@st.fragment
def view() -> None:
    """All of it: a choice draws this anew and not the frame around it."""
    with told():
        _draw()


def _draw() -> None:
    """The map, which is waited for, first; then the choices over it, and what stands beneath it."""
    pickers.settle()
    choices, place = st.container(), st.container()
    known = pickers.are_known(*DISPLAY)
    if not known:
        with choices:
            choose()
    now = read_view()
    chosen = combined.combination(now)
    with place:
        if checkpoints.reads(now.checkpoint) == "picture":
            patches.over_picture(now, chosen)
        reading, title = one_map.draw(now, chosen)
    if known:
        with choices:
            choose()
    if reading.weights.size:
        bar = st.container()  # filled last: the first time, it has to wait for the model
        one_map.beneath(now, chosen, reading, title)
        with bar:
            honesty_bar.honesty_bar(now, now.kind, chosen.of(drawing.maps(now, now.kind), now.kind), title)
        drawing.prepare(now)
