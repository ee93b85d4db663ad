"""Sentences to begin with, one click away."""

from __future__ import annotations

import streamlit as st

from viz.core.language import say
from viz.core.models import ModelEntry
from viz.core.session import choose_part


def draw(model: ModelEntry) -> None:
    """Sentences to begin with, where a model reads any."""
    if model.reads in ("picture", "maps"):
        return
    st.pills(
        say("app.examples"),
        model.examples,
        key="example",
        label_visibility="collapsed",
        on_change=_take_example,
    )


def _take_example() -> None:
    if sentence := st.session_state.get("example"):
        st.session_state["text"] = sentence
        choose_part()
        st.session_state["example"] = None
