"""Names of the talk's words: each stands in ``viz/core/text`` as ``talk.<name>``."""

from __future__ import annotations

TALK_WORDS = (
    *("on", "before", "notes", "notes_here", "notes_window", "ask_hint", "right", "wrong", "revealed"),
    *("of_talk", "of_scene", "next_is", "asks", "last", "keys", "is_dark", "stage"),
    *("overview", "overview_open", "overview_hint"),
)
