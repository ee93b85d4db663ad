"""Going from one view to another."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from model.errors import HeadlightError
from model.trace import HeadRef
from viz.shell.views import VIEWS, ViewSpec
from viz.state import checkpoints
from viz.state.link import is_gone_back, say_again
from viz.state.view import choose_head

_HERE = "_here"  # the view that the run before showed
_OPENS = "_opens"  # the view that a callback asked for


def visibility(spec: ViewSpec) -> Literal["visible", "hidden"]:
    """Whether a view stands in the navigation: not where it is about other forms of model than the chosen one."""
    try:
        return "visible" if checkpoints.reads(checkpoints.checkpoint()) in spec.reads else "hidden"
    except HeadlightError:
        return "visible"


def titles(name: str) -> str:
    """The key of a view's title; the first view is called after what the model does."""
    try:
        reads = checkpoints.reads(checkpoints.checkpoint())
    except HeadlightError:
        reads = "text"
    return f"page.{name}.{reads}" if name == "translate" and reads != "text" else f"page.{name}"


def open_head(head: HeadRef) -> None:
    """Show a head by itself; to be called in a widget's callback, of a fragment or not."""
    choose_head(head)
    open_view("one_head")


def asked() -> str:
    """The view that a callback asked for before this run; "" for none."""
    return str(st.session_state.pop(_OPENS, ""))


def follow(name: str) -> None:
    """Go where a callback asked to; to be called last, or the link would lose what widgets have not said yet."""
    if name:
        st.switch_page(VIEWS[name].file, query_params=[])


def arrive(spec: ViewSpec) -> None:
    """Bring what the views share along to another view; to be called before anything is drawn."""
    state = st.session_state
    if state.get(_HERE, spec.name) != spec.name and not is_gone_back():
        say_again()
    state[_HERE] = spec.name


def open_view(name: str) -> None:
    """Go to a view; to be called in a widget's callback."""
    st.session_state[_OPENS] = name
