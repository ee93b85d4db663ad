"""Views as Streamlit's pages; going to another one, as a widget's callback asks: the frame goes when the run ends."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Literal

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from model.trace import HeadRef
from viz.core.session import choose_head, current_session
from viz.core.views import ViewSpec

OPENS = "_opens"  # the view that a callback asked for


def open_view(name: str) -> None:
    """Ask for a view by its name; to be called in a widget's callback."""
    st.session_state[OPENS] = name


def open_head(head: HeadRef) -> None:
    """Show a head by itself; to be called in a widget's callback, of a fragment or not."""
    choose_head(head)
    open_view("one_head")


def open_heads(heads: Sequence[HeadRef]) -> None:
    """Show heads beside each other, the first as the chosen one; to be called in a widget's callback."""
    st.session_state["viewer"] = f"h={','.join(head.code for head in heads)}"
    open_head(heads[0])


def page_of(
    spec: ViewSpec, title: str | None = None, visibility: Literal["visible", "hidden"] = "visible"
) -> StreamlitPage:
    """A view as a page of Streamlit, to be listed, run, linked and switched to; equal pages are one to it."""

    def run() -> None:
        import_module(spec.module).view(current_session())

    default = spec.name == "translate"
    return st.Page(run, title=title or spec.name, url_path=spec.name, default=default, visibility=visibility)
