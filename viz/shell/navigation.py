"""Going from one view to another."""

from __future__ import annotations

import streamlit as st

from model.trace import HeadRef
from viz.shell.views import VIEWS
from viz.state.view import choose_head

_OPENS = "_opens"  # the view that a callback asked for


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
