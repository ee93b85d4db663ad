"""The visitor's language, and the interface's words in it."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

from viz.state.choice import picked
from viz.text import text

Say = Callable[..., str]  # an interface string by its key, its places filled
Labels = Callable[[str], str]  # a component's words by their names
_spoken: ContextVar[str | None] = ContextVar("spoken", default=None)


def language() -> str:
    """The interface language: "en" or "zh"."""
    return str(picked("lang"))


def speak() -> None:
    """Let ``say`` speak the visitor's language for the rest of this run; to be called when a run begins."""
    _spoken.set(language())


def say(key: str, **values: object) -> str:
    """An interface string in the visitor's language."""
    return text(_spoken.get() or language(), key, **values)


def within(prefix: str, **special: str) -> Labels:
    """What a component calls ``name``: the interface string ``<prefix>.<name>``, or the ``special`` one given."""
    return lambda name: special[name] if name in special else say(f"{prefix}.{name}")
