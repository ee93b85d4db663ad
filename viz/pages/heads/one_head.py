"""The heads: all of them, and those that are chosen large, in the viewer."""

from __future__ import annotations

import streamlit as st

from viz.parts.combined import Combination
from viz.parts.forms import patches
from viz.parts.workbench import show
from viz.shell import pickers
from viz.shell.errors import show_error, told
from viz.shell.views import VIEWS
from viz.state.language import speak
from viz.state.view import read_view

PATCHES = 430  # pixels of a picture under the viewer


@st.fragment
def view() -> None:
    """All of it: a choice draws this anew and not the frame around it."""
    speak()  # it runs without the frame
    with told():
        pickers.settle()
        with st.container():  # where every view has its pickers
            pickers.row(VIEWS["one_head"])
        _draw()
    if show.token_moved():
        st.rerun()


def _draw() -> None:
    now = read_view()
    is_picture = now.model.reads == "picture"
    place, picture = st.container(), st.container()
    with picture:
        if is_picture:
            patches.over_picture(now, Combination("head", now.head, (), now.subject))
    with place:
        if (lacks := show.show(now, PATCHES if is_picture else show.MARGIN)) is not None:
            show_error(lacks)
