"""What every view shares of the link, so that it goes along from view to view."""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from model.folders import argument_of
from viz.core.selection import LINK_FIELDS

LIVE_OPTION = "--live"
LIVE_PAGE = "index.html"
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


def live_site() -> Path | None:
    """The folder with the page that translates by itself, ``--live DIR``; None where the app was told of none."""
    said = argument_of(LIVE_OPTION, sys.argv[1:])
    return None if said is None else Path(said)


def live_link(text: str, checkpoint: str, head: str) -> str | None:
    """Where that page shows a sentence and the head of a code; None where none is served, or it is another model's."""
    site = live_site()
    page = site and site / LIVE_PAGE
    if page is None or not page.is_file() or _model_of(page, page.stat().st_mtime_ns) != checkpoint:
        return None
    return f"live/#{urlencode({'i': text, 'h': head}, safe='.')}"


@lru_cache(2)
def _model_of(page: Path, _written: int) -> str:
    """The checkpoint that a page says that it holds; "" where it says none."""
    found = re.search(r'"model":"([^"]*)"', page.read_text(encoding="utf-8"))
    return found[1] if found else ""
