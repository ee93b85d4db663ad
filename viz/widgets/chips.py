"""The sentence and its translation over every view, token by token: a click is looked at everywhere; and examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp
from typing import TypedDict

import streamlit as st

from model.source import SEEN_OR_HEARD
from model.trace import Label, TracedTranslation
from viz.charts.markup import is_chinese, readings
from viz.core.choice import Labels, say, within
from viz.core.models import ModelEntry
from viz.core.session import choose_part, choose_token, chosen_token, theme, typed
from viz.core.theme import Theme
from viz.widgets.errors import message
from viz.widgets.places import looked_at, register

_steps = register("sentence_steps", ())
LABELS = ("source", "target", "token", "chosen", "given")
_component = register("sentence_chips", LABELS)


def sentence_steps(sent: str, key: str) -> None:
    """Watch the box, its button and the examples."""
    _steps.mount({"sent": sent}, labels=within(""), key=key)


class Chip(TypedDict):
    """One token."""

    text: str  # of it
    before: str  # the text between the token before it and this one
    special: bool  # it marks a beginning or an end
    sure: float | None  # how probable the model found it, 0 to 1; None where the model did not write it
    reading: str  # how it is said; "" for nothing


def sentence_chips(
    source: Sequence[Chip],
    target: Sequence[Chip],
    chosen: int | None,
    *,
    theme: Theme,
    labels: Labels,
    key: str,
    on_token: Callable[[int | None], None],
) -> None:
    """One line that scrolls where it is long.

    Args:
        source, target: the tokens.
        chosen: place of a target token; None for none.
        on_token: called with the place of a token that is clicked, or None where one is let go.
    """

    def picked() -> None:
        place = message(key, "token")
        if type(place) is int and -1 <= place < len(target):
            on_token(None if place == -1 else place)

    data = {"source": list(source), "target": list(target), "chosen": chosen}
    _component.mount(data, theme=theme, labels=labels, key=key, on_token_change=picked)


def draw(found: TracedTranslation, pinyin: bool, from_start: bool = False) -> None:
    """The line of both, ``pinyin`` over the Chinese; a view that goes ``from_start`` is at the first token."""
    target = chips(found.text, (*found.tgt, *found.trace.tgt_outputs[len(found.tgt) :]), pinyin)
    for place, chip in enumerate(target):
        if found.given <= place < len(found.log_probs):
            chip["sure"] = exp(found.log_probs[place])
    sentence_chips(
        chips(found.source, found.trace.src or found.src),
        target if found.tgt_ids else (),
        chosen_token(len(target)) or 0 if from_start else looked_at(found),
        theme=theme(),
        labels=within("chips"),
        key="hl_chips",
        on_token=choose_token,
    )


def keep_sentence() -> None:
    """Make every sentence that is sent a step of the browser's history; nothing is seen of this."""
    sentence_steps(typed(), "hl_steps")


def chips(text: str, labels: Sequence[Label], pinyin: bool = False) -> list[Chip]:
    """The tokens of a text with what stands between them; nobody is known to have written them.

    >>> [(chip["before"], chip["text"]) for chip in chips("I am", (Label("I", 0, 0, 1), Label("am", 1, 2, 4)))]
    [('', 'I'), (' ', 'am')]
    """
    found: list[Chip] = []
    at = 0
    for label in labels:
        special = label.start == label.end
        again = label.start < at  # one of the bytes of a character that stands already
        said = label.text if special or again else text[label.start : label.end]
        alone = special or bool(found and found[-1]["special"])
        before = " " if alone and found else text[at : label.start]
        reading = " ".join(readings(said)) if pinyin and said and all(map(is_chinese, said)) else ""
        found.append({"text": said, "before": before, "special": special, "sure": None, "reading": reading})
        at = max(at, label.end)
    return found


def draw_examples(model: ModelEntry) -> None:
    """Sentences to begin with, where a model reads any."""
    if model.reads in (*SEEN_OR_HEARD, "maps"):
        return
    st.pills(
        say("app.examples"),
        model.examples,
        key="example",
        label_visibility="collapsed",
        on_change=_take_example,
    )


def _take_example() -> None:
    if sentence := st.session_state.get("example"):
        st.session_state["text"] = sentence
        choose_part()
        st.session_state["example"] = None
