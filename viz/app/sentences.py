"""A text of several sentences: its whole translation, and which sentence every view is about."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from model.errors import MAX_PARTS, HeadlightError, TextTooLongError
from model.trace import Translation
from viz.charts.markup import line, tag
from viz.charts.ruby import ruby
from viz.core.answers.translations import written
from viz.core.language import say
from viz.core.session import Subject, choose_part, part, parts

MOST_LETTERS = 40  # of a sentence on its button


def shown_parts() -> list[str]:
    """The sentences of what was typed, where there are several; else none.

    Raises:
        TextTooLongError: there are more than MAX_PARTS.
    """
    found = parts()
    if len(found) > MAX_PARTS:
        raise TextTooLongError(f"The text has {len(found)} sentences; the limit is {MAX_PARTS}. Translate it in parts.")
    return found if len(found) > 1 else []


def parts_line(about: Subject, found: Translation) -> None:
    """The translations of all sentences in one line, the one that is looked at marked."""
    shown: list[str] = []
    for number, text in enumerate(parts()):
        if number == part():
            shown.append(tag("mark", said(found.text)))
            continue
        try:
            shown.append(said(written(replace(about.own, text=text)).text))
        except HeadlightError:  # said in full when that sentence is chosen
            shown.append("⚠")
    st.html(line("translation parts", *shown, lang="zh"))


def choose_shown_part() -> None:
    """A button that says which sentence is looked at, and behind it all of them."""
    texts, here = parts(), part()
    st.session_state["part_shown"] = here
    with st.popover(say("app.parts", number=here + 1, all=len(texts)), width="content"):
        st.pills(
            say("app.part"),
            range(len(texts)),
            key="part_shown",
            format_func=lambda number: f"{number + 1} · {_short(texts[number])}",
            help=say("app.part.help"),
            required=True,
            on_change=lambda: choose_part(st.session_state["part_shown"]),
        )


def said(translation: str) -> str:
    """A translation as the frame shows it: with its pinyin, where the visitor wants that."""
    return ruby(translation) if translation and st.session_state.get("pinyin") else translation or "∅"


def _short(text: str) -> str:
    """A sentence for a button: as plain text, cut."""
    cut = text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}…"
    return "".join(f"\\{char}" if char in r"\\`*_{}[]()#+-.!|~:$<>" else char for char in cut)
