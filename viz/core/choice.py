"""What a visitor has chosen, by the name of the choice in the link; and the interface's words."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Mapping
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from model.folders import argument_of
from viz.core.codes.choices import CHOICES, read_token
from viz.core.selection import LINK_FIELDS
from viz.core.text import LANGUAGES, text

T = TypeVar("T")


def chosen(key: str, default: T, options: Collection[T]) -> T:
    """A widget's value; before it is first shown, what the link says; the default where that is no option.

    Args:
        key: of the widget, and of its place in the link.
        default: where there is nothing valid.
        options: the values that the widget offers.
    """
    if key in st.session_state:
        value = st.session_state[key]
        return value if value in options else default
    said = st.query_params.get(key)
    return next((option for option in options if said == str(option)), default)


def chosen_text(key: str) -> str:
    """What stands in a widget; before it is first shown, what the link says."""
    return str(_said(key) or "")


def picked(name: str, default: str = "") -> Any:
    """The option of ``CHOICES[name]`` that is chosen; else the default, or the first."""
    choice = CHOICES[name]
    return choice.read(_said(name)) or default or choice.options[0]


def picked_token() -> int | None:
    """The output token that is chosen by ``of``, counted from 0; None for the whole translation."""
    token = read_token(_said("of"))
    return token - 1 if token else None


def tidied(link: Mapping[str, str]) -> dict[str, str | None]:
    """What must be put right in a link: nothing in place of what is no option; ``None`` takes a parameter away."""
    changes: dict[str, str | None] = {
        name: None for name, choice in CHOICES.items() if name in link and choice.read(link[name]) is None
    }
    if "of" in link and read_token(link["of"]) is None:
        changes["of"] = None
    if link.get("method") == "weights" and link.get("picture") != "head":
        changes["picture"] = "head"  # asked for by name, they are not what a view would draw by itself
    return changes


def tidy_link() -> None:
    """Put right the link that a session begins with, before its first widget is shown."""
    if "_tidied" in st.session_state:
        return
    st.session_state["_tidied"] = True
    changes = tidied(st.query_params.to_dict())
    for name, code in changes.items():
        if code is None:
            del st.query_params[name]
        else:
            st.query_params[name] = code
    if changes:
        st.rerun()


def _said(name: str) -> object:
    return st.session_state[name] if name in st.session_state else st.query_params.get(name)


def token_code(said: object) -> str | None:
    """The code of the output token that a link means by ``of``; None where it means none."""
    token = read_token(said)
    return None if token is None else str(token)


LIVE_OPTION = "--live"
LIVE_PAGE = "index.html"
# Target ids, gains, a pattern, the numbers of a sentence and of a token, whether each head is muted alone: nobody types
# them, the app writes them.
UNSEEN = ("hyp", "fork", "mix", "paint", "part", "step", "repair")
SET_ONCE = ("checkpoint", "lang", "beam", "read_back", "pinyin", "from", "into")
PICKED = tuple(name for field in LINK_FIELDS.values() for name in field.app if name not in UNSEEN)
SHARED = ("text", *SET_ONCE, *PICKED, *UNSEEN)


def say_again() -> None:
    """Let every shared widget write its value into the link anew, which the way to another page empties.

    To be called before they are shown. Streamlit writes what the script sets, and not what a widget still holds.
    """
    state = st.session_state
    for name in SHARED:
        if name in state:
            state[name] = state[name]


def is_gone_back() -> bool:
    """True where the visitor went back or forward: what the link says then comes with the widgets."""
    return bool(getattr(get_script_run_ctx(), "is_history_navigation", False))


def live_site() -> Path | None:
    """The folder with the page that translates by itself, ``--live DIR``; None where the app was told of none."""
    said = argument_of(LIVE_OPTION, sys.argv[1:])
    return None if said is None else Path(said)


def live_link(text: str, checkpoint: str, chosen: str, **more: str) -> str | None:
    """Where that page shows a sentence; None where none is served, or it is another model's.

    Args:
        text: the sentence.
        checkpoint: name of the model.
        chosen: the viewer's link.
        more: what the page's link says besides, see ``docs/live.md``.
    """
    site = live_site()
    page = site and site / LIVE_PAGE
    if page is None or not page.is_file() or _model_of(page, page.stat().st_mtime_ns) != checkpoint:
        return None
    return f"live/#{'&'.join(filter(None, (urlencode({'i': text, **more}), chosen)))}"


@lru_cache(2)
def _model_of(page: Path, _written: int) -> str:
    """The checkpoint that a page says that it holds; "" where it says none."""
    found = re.search(r'"model":"([^"]*)"', page.read_text(encoding="utf-8"))
    return found[1] if found else ""


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
