"""The visitor's language, and the interface's words in it."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

import streamlit as st

from viz.core.choice import picked
from viz.core.text import LANGUAGES, text

Say = Callable[..., str]  # an interface string by its key, its places filled
Labels = Callable[[str], str]  # a component's words by their names
_spoken: ContextVar[str | None] = ContextVar("spoken", default=None)


def language() -> str:
    """The interface language: "en" or "zh"; the browser's own where the link names none."""
    return str(picked("lang", browser_language()))


def browser_language() -> str:
    """The language that the visitor's browser asks for, if the interface speaks it; else English."""
    asked = str(st.context.locale or "").partition("-")[0].lower()
    return asked if asked in LANGUAGES else "en"


def speak() -> None:
    """Let ``say`` speak the visitor's language for the rest of this run; to be called when it begins, or a fragment."""
    _spoken.set(language())


def say(key: str, **values: object) -> str:
    """An interface string in the visitor's language."""
    return text(_spoken.get() or language(), key, **values)


def within(prefix: str, **special: str) -> Labels:
    """What a component calls ``name``: the interface string ``<prefix>.<name>``, or the ``special`` one given."""
    return lambda name: special[name] if name in special else say(f"{prefix}.{name}")
