"""Going to another view, as a widget's callback asks for it; the frame goes there when the run ends."""

from __future__ import annotations

import streamlit as st

from model.trace import HeadRef
from viz.core.session import choose_head

OPENS = "_opens"  # the view that a callback asked for


def open_view(name: str) -> None:
    """Ask for a view by its name; to be called in a widget's callback."""
    st.session_state[OPENS] = name


def open_head(head: HeadRef) -> None:
    """Show a head by itself; to be called in a widget's callback, of a fragment or not."""
    choose_head(head)
    open_view("one_head")
