"""The pinboard: what was pinned while exploring, to be put in order, told and asked about in a form, or as YAML."""

from __future__ import annotations

import streamlit as st

from model.errors import HeadlightError
from viz.charts.markup import line
from viz.core.going import open_view
from viz.core.language import say
from viz.core.session import Session
from viz.export.show.storyboard import MOST_FILE_BYTES, Both
from viz.views.pinboard import form
from viz.widgets import pins, talks
from viz.widgets.bar import bar
from viz.widgets.errors import show_error

_FILE, _WRONG, _YAML = "pins_file", "_pins_wrong", "pins_yaml"
YAML_HIGH = 560  # pixels of the YAML


def open_file() -> None:
    """Pins from a file, beside those that are there."""
    if (file := st.session_state.get(_FILE)) is None:
        return
    try:
        pins.add(file.getvalue())
    except HeadlightError as error:
        st.session_state[_WRONG] = error


def retitle() -> None:
    """The board under the name that was typed."""
    pins.rename(Both(str(st.session_state["pins_title"])[: pins.MOST_CAPTION]))


def rewritten(key: str) -> None:
    """The board as its YAML was changed; YAML that cannot be read changes nothing."""
    try:
        pins.rewrite(str(st.session_state[key]))
    except HeadlightError as error:
        st.session_state[_WRONG] = error


def play() -> None:
    """The board as a talk."""
    st.session_state[talks.CHOSEN] = talks.PINS
    open_view("talk")


def view(_session: Session) -> None:
    """Every pin in a form, the same as YAML beside it, and what can be made of them."""
    board = pins.board()
    if (wrong := st.session_state.pop(_WRONG, None)) is not None:
        show_error(wrong)
    with bar():
        if board.scenes:
            st.button(say("pins.play"), type="primary", key="pins_play", on_click=play)
            st.download_button(say("pins.save"), pins.written(), "headlight-pinboard.yaml", on_click="ignore")
        with st.popover(say("pins.open")):
            st.file_uploader(say("show.file", most=talks.MOST_KB), talks.FILE_TYPES, key=_FILE, on_change=open_file)
    if not board.scenes:
        st.html(line("lead", say("pins.none")))
        st.html(line("lead", say("pins.lead")))
        return
    forms, text = st.columns([5, 3], gap="medium")
    with forms:
        st.session_state["pins_title"] = form.spoken(board.title)
        st.text_input(say("pins.title"), key="pins_title", on_change=retitle, max_chars=pins.MOST_CAPTION)
        for place in range(len(board.scenes)):
            form.card(place, len(board.scenes))
    with text:
        key = f"{_YAML}_{hash(board)}"
        st.text_area(
            say("pins.yaml"), pins.written(), key=key, height=YAML_HIGH, on_change=rewritten, args=(key,),
            max_chars=MOST_FILE_BYTES, help=say("pins.yaml.help"),
        )  # fmt: skip
        st.html(line("alt", say("pins.lead")))
