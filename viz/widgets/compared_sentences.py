"""The second sentence beside the frame's one: its box, what is suggested, and both with what changed marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.analysis.what_if.swap import variants
from model.attribution.aligned import aligned_places, changed_places
from model.trace import Label, TracedTranslation
from viz.charts.marked import marked_text
from viz.core.answers.translations import translation
from viz.core.language import say
from viz.core.session import Session, Subject


def other_sentence(now: Session) -> Subject | None:
    """The second sentence as the visitor chose it, or the first suggestion; None where there is neither.

    Raises:
        HeadlightError: the model cannot translate it.
    """
    text = other_text(now)
    if not text:
        st.info(say("compare.none"))
        return None
    other = replace(now.subject.own, text=text)
    translation(other)
    return other


def other_text(now: Session) -> str:
    """What stands in the box of the second sentence, or the first suggestion; "" where there is neither."""
    letters = now.model.meta.get("src_tokenizer") == "characters"
    suggested = variants(now.subject.text, letters)
    box, pills = st.columns([2, 3], vertical_alignment="bottom")
    typed = box.text_input(
        say("compare.other"), key="other", placeholder=next(iter(suggested), ""), bind="query-params"
    )
    if suggested:
        pills.pills(say("compare.suggested"), suggested, key="suggested", on_change=_take)
    return (typed or "").strip() or next(iter(suggested), "")


def _take() -> None:
    """Put the suggestion that was chosen into the box."""
    if text := st.session_state.get("suggested"):
        st.session_state["other"] = text


def changed_labels(one: Sequence[Label], other: Sequence[Label]) -> tuple[set[int], set[int]]:
    """Places of tokens that the other side does not have there."""
    return changed_texts([label.text for label in one], [label.text for label in other])


def changed_texts(one: Sequence[str], other: Sequence[str]) -> tuple[set[int], set[int]]:
    """The same for texts."""
    return changed_places(one, other, aligned_places(one, other))


def both(now: Session, one: TracedTranslation, other: TracedTranslation, more: int = 0) -> list[DeltaGenerator]:
    """Two sentences over their translations, side by side, what differs marked; and ``more`` empty columns."""
    sources, targets = changed_labels(one.src, other.src), changed_labels(one.tgt, other.tgt)
    first, second, *rest = st.columns(2 + more)
    for column, found, source, target in zip((first, second), (one, other), sources, targets, strict=True):
        words, written = ([label.text for label in labels] for labels in (found.src, found.tgt))
        column.html(marked_text(words, source, now.theme, "en") + marked_text(written, target, now.theme))
    return rest
