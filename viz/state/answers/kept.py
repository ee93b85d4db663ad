"""How answers are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import streamlit as st

P = ParamSpec("P")
R = TypeVar("R")


def kept(most: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator: the last ``most`` answers are kept and shared by all visitors, so nobody may change one."""
    keep: Callable[[Callable[P, R]], Callable[P, R]] = st.cache_resource(max_entries=most, show_spinner=False)
    return keep
