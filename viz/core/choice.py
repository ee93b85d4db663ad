"""What a visitor has chosen, by the name of the choice in the link."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from viz.core.codes.choices import CHOICES, read_token

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


def picked_token(n_tokens: int) -> int:
    """Which of so many output tokens is chosen by ``of``, from 1; 0 is the whole translation."""
    token = read_token(_said("of")) or 0
    return token if token <= n_tokens else 0


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


# Target ids, gains, a pattern, the numbers of a sentence and of a token, whether each head is muted alone: nobody types
# them, the app writes them.
UNSEEN = ("hyp", "fork", "mix", "paint", "part", "step", "repair")
SET_ONCE = ("checkpoint", "lang", "beam", "pinyin", "from", "into")
PICKED = ("kind", "layer", "head", "words", "special", "method", "of", "shift", "combine", "over")
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
