"""The pinboard: what was pinned while exploring, to be put in order, captioned, kept, and made a talk."""

from __future__ import annotations

import streamlit as st

from model.errors import HeadlightError
from viz.charts.markup import line, tag
from viz.core.going import open_view
from viz.core.language import language, say
from viz.core.session import Session
from viz.core.views import VIEWS
from viz.widgets import pins, talks
from viz.widgets.bar import bar
from viz.widgets.errors import show_error

_FILE, _WRONG = "pins_file", "_pins_wrong"


def open_file() -> None:
    """Pins from a file, beside those that are there."""
    if (file := st.session_state.get(_FILE)) is None:
        return
    try:
        pins.add(file.getvalue())
    except HeadlightError as error:
        st.session_state[_WRONG] = error


def captioned(place: int, key: str) -> None:
    """A pin under the caption that was typed."""
    pins.caption(place, str(st.session_state[key]))


def play() -> None:
    """The board as a talk."""
    st.session_state[talks.CHOSEN] = talks.PINS
    open_view("talk")


def card(place: int, count: int) -> None:
    """One pin."""
    scene = pins.board().scenes[place]
    with st.container(border=True):
        try:
            st.image(talks.small_picture(scene, language()), width="stretch")
        except HeadlightError as error:
            show_error(error)
        key = f"pin_{hash(scene)}_{place}"
        st.text_input(
            say("pins.caption"), scene.title.of(language()), key=key, on_change=captioned, args=(place, key),
            max_chars=pins.MOST_CAPTION,
        )  # fmt: skip
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "←", key=f"{key}b", help=say("pins.earlier"), disabled=not place, on_click=pins.move, args=(place, -1)
            )
            last = place == count - 1
            st.button("→", key=f"{key}a", help=say("pins.later"), disabled=last, on_click=pins.move, args=(place, 1))
            st.button(say("pins.off"), key=f"{key}x", on_click=pins.move, args=(place, 0))
            view, _, query = scene.app.partition("?")
            if view in VIEWS:
                st.html(tag("a", say("pins.back"), href=f"./{view}?{query}", target="_self"), width="content")


def view(_session: Session) -> None:
    """Every pin, and what can be made of them."""
    pins.keep()
    board = pins.board()
    if (wrong := st.session_state.pop(_WRONG, None)) is not None:
        show_error(wrong)
    with bar():
        if board.scenes:
            st.button(say("pins.play"), type="primary", key="pins_play", on_click=play)
            st.download_button(say("pins.save"), pins.written(), "headlight-pinboard.yaml", on_click="ignore")
        with st.popover(say("pins.open")):
            st.file_uploader(say("show.file", most=talks.MOST_KB), talks.FILE_TYPES, key=_FILE, on_change=open_file)
    for first in range(0, len(board.scenes), 3):
        for place, column in enumerate(st.columns(3), first):
            if place < len(board.scenes):
                with column:
                    card(place, len(board.scenes))
    if not board.scenes:
        st.html(line("lead", say("pins.none")))
    st.html(line("alt" if board.scenes else "lead", say("pins.lead")))
