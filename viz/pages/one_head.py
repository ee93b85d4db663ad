"""One head's map, or several heads' as one, labelled, with its numbers, its meaning and its sanity."""

from __future__ import annotations

import streamlit as st

from viz import combined, drawing, head_map, honesty, pickers, session
from viz.session import say

DISPLAY = ("own", "log", "min")


def step(layers: int, heads: int) -> None:
    """Go some layers up and heads to the right, round the ends."""
    now, trace = session.view(), session.trace()
    n_layers, n_heads = trace.weights[now.kind].shape[:2]
    session.choose_head(now.kind, (now.layer + layers) % n_layers, (now.head + heads) % n_heads)


def choose() -> None:
    """Which head, and how it is shown."""
    pickers.row("one_head")
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
    """All of it: a choice draws this anew and not the frame around it, and the map, which is waited for, first."""
    pickers.settle()
    choices, place = st.container(), st.container()
    known = pickers.are_known(*DISPLAY)
    if not known:
        with choices:
            choose()
    now = session.view()
    chosen = combined.combination(now)
    with place:
        reading, title = head_map.draw(now, chosen)
    if known:
        with choices:
            choose()
    if reading.weights.size:
        bar = st.container()  # filled last: the first time, it has to wait for the model
        head_map.beneath(now, chosen, reading)
        with bar:
            honesty.honesty_bar(now.kind, chosen.of(drawing.maps(now.kind), now.kind), title)
        drawing.prepare()
