"""Going from one view to another."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from model.errors import HeadlightError
from model.source import Reads
from model.trace import HeadRef
from viz.shell.views import VIEWS, ViewSpec
from viz.state import checkpoints
from viz.state.view import choose_head

_OPENS = "_opens"  # the view that a callback asked for


def form() -> Reads | None:
    """What the chosen model is given; None where it cannot be opened."""
    try:
        return checkpoints.reads(checkpoints.checkpoint())
    except HeadlightError:
        return None


def visibility(spec: ViewSpec, reads: Reads | None) -> Literal["visible", "hidden"]:
    """Whether a view stands in the navigation: not where it is about other forms of model than the chosen one."""
    return "visible" if reads is None or reads in spec.reads else "hidden"


def titles(name: str, reads: Reads | None) -> str:
    """The key of a view's title; the first view is called after what the model does."""
    return f"page.{name}.{reads}" if name == "translate" and reads not in (None, "text") else f"page.{name}"


def open_head(head: HeadRef) -> None:
    """Show a head by itself; to be called in a widget's callback, of a fragment or not."""
    choose_head(head)
    st.session_state[_OPENS] = "one_head"


def asked() -> str:
    """The view that a callback asked for before this run; "" for none."""
    return str(st.session_state.pop(_OPENS, ""))


def follow(name: str) -> None:
    """Go where a callback asked to; to be called last, or the link would lose what widgets have not said yet."""
    if name:
        st.switch_page(VIEWS[name].file, query_params=[])


def leave_fragment() -> None:
    """Run the whole app if a callback of this fragment asked for another view: the app goes there."""
    if _OPENS in st.session_state:
        st.rerun()
