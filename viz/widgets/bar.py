"""Where a view may put its own pickers: on the line over it, beside those that the views share."""

from __future__ import annotations

from contextvars import ContextVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

_bar: ContextVar[DeltaGenerator | None] = ContextVar("bar", default=None)


def offer_bar(place: DeltaGenerator) -> None:
    """Let the view of this run use a place on the line; the frame does."""
    _bar.set(place)


def bar() -> DeltaGenerator:
    """The view's place on the line over it; where no frame offers one, a line where it is called."""
    return _bar.get() or st.container(horizontal=True, vertical_alignment="center", gap="small")
