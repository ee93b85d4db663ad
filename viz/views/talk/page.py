"""A talk: played in the page with the keys of its file, and taken away as a page or a handout."""

from __future__ import annotations

from functools import partial
from urllib.parse import clear_cache  # type: ignore[attr-defined]

import streamlit as st

from model.errors import HeadlightError
from viz.charts.markup import alert, line
from viz.core.choice import language, say
from viz.core.session import Session
from viz.views.talk import classroom, hall
from viz.widgets import talks
from viz.widgets.errors import show_error
from viz.widgets.picker import bar

HIGH = 660  # pixels of the talk, before its style makes it as high as the window
_FILE, _WRONG = "talk_file", "_talk_wrong"


def choose() -> None:
    """Another talk, which the link names."""
    st.query_params[talks.NAMED_IN_LINK] = st.session_state[talks.CHOSEN]
    for name in talks.PLACE_IN_LINK:
        st.query_params.pop(name, None)


def open_file() -> None:
    """A visitor's own talk; a file that cannot be read changes nothing."""
    if (file := st.session_state.get(_FILE)) is None:
        return
    try:
        talks.take(file.getvalue())
    except HeadlightError as error:
        st.session_state[_WRONG] = error
        return
    st.session_state[talks.CHOSEN] = talks.OWN
    choose()


def chosen() -> str:
    """The talk that is chosen, or that the link names; the command line's or the first where there is no such one."""
    known = talks.names()
    asked = str(st.session_state.get(talks.CHOSEN) or st.query_params.get(talks.NAMED_IN_LINK, ""))
    first = talks.GIVEN if talks.GIVEN in known and not asked else next(iter(known))
    if asked and asked not in known:
        st.html(alert(say("show.unknown", name=asked[:60])))
    st.session_state[talks.CHOSEN] = asked if asked in known else first
    return str(st.session_state[talks.CHOSEN])


def row(name: str) -> None:
    """What is chosen, opened and taken away."""
    known, spoken = talks.names(), language()
    with bar():
        st.selectbox(
            say("show.talk"),
            list(known),
            key=talks.CHOSEN,
            format_func=known.__getitem__,
            on_change=choose,
            label_visibility="collapsed",
            width=300,
        )
        with st.popover(say("show.open")):
            st.file_uploader(say("show.file", most=talks.MOST_KB), talks.FILE_TYPES, key=_FILE, on_change=open_file)
        for ending in ("html", "pdf"):
            st.download_button(
                say(f"show.{ending}"),
                partial(talks.saved, talks.opened(name), ending, spoken),
                f"headlight-{name}.{ending}",
                key=f"talk_{ending}",
                on_click="ignore",
            )
        with st.popover(say("show.keys_title")):
            st.html(line("alt", say("show.keys")))


def view(_session: Session) -> None:
    """The chosen talk."""
    if classroom.is_desk():
        return classroom.desk()
    name = chosen()
    if (wrong := st.session_state.pop(_WRONG, None)) is not None:
        show_error(wrong)
    try:
        row(name)
        board = talks.opened(name)
        for problem in talks.staged(board).problems:
            told = {"scene": problem.scene, "expected": problem.expected, "found": problem.found}
            st.html(alert(say("show.problem", **told)))
        classroom.stage(board)
        # Streamlit asks urllib whether the document is a URL, and urllib's cache would keep it.
        with st.container(key="talk_frame"):
            st.iframe(talks.page(board, language()), height=HIGH, alt=board.title.of(language()))
        clear_cache()
        hall.box(board)
    except HeadlightError as error:
        show_error(error)
