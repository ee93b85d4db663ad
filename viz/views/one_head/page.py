"""The heads: all of them, and those that are chosen large, in the viewer."""

from __future__ import annotations

import streamlit as st

from viz.core.session import Session
from viz.views.one_head import show
from viz.widgets import patches
from viz.widgets.combined import Combination
from viz.widgets.errors import show_error

PATCHES = 430  # pixels of a picture under the viewer


def view(session: Session) -> None:
    """All of it: a choice draws this anew and not the frame around it."""
    _draw(session)
    if show.token_moved():
        st.rerun()


def _draw(now: Session) -> None:
    is_picture = now.model.reads == "picture"
    place, picture = st.container(), st.container()
    with picture:
        if is_picture:
            patches.over_picture(now, Combination("head", now.head, (), now.subject))
    with place:
        if (lacks := show.show(now, PATCHES if is_picture else show.MARGIN)) is not None:
            show_error(lacks)
