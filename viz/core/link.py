"""What every view shares of the link, so that it goes along from view to view."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from viz.core.selection import LINK_FIELDS

# Target ids, gains, a pattern, the numbers of a sentence and of a token, whether each head is muted alone: nobody types
# them, the app writes them.
UNSEEN = ("hyp", "fork", "mix", "paint", "part", "step", "repair")
SET_ONCE = ("checkpoint", "lang", "beam", "pinyin", "from", "into")
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
