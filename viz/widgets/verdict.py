"""The verdict on the translation, directly under it in every view."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.analysis.what_if.verdict import THRESHOLD, Doubt, Verdict, verdict
from model.errors import HeadlightError
from model.trace import Translation
from viz.charts.markup import line, tag
from viz.core.answers.translations import translation, written
from viz.core.answers.what_if import read_back, word_traces
from viz.core.choice import say
from viz.core.session import Subject, part, parts, subject

MOST_REASONS = 3
_PLACE = "_verdict"  # where it stands in this run, until it is whole
_WHOLE = "_verdict_on"  # in a visitor's session: what the last whole verdict is about, and it


def is_judged(about: Subject) -> bool:
    """Whether there is a verdict: of models that translate words, not of letters or of anything else."""
    return about.model.reads == "text" and not about.model.by_letter


def draw_here(about: Subject, found: Translation) -> None:
    """The verdict on a translation that is judged, and those on a text's other sentences; made whole by ``finish``."""
    st.session_state.pop(_PLACE, None)
    if found.log_probs and is_judged(about):
        st.session_state[_PLACE] = draw(about, found)
        draw_others(about)


def finish() -> None:
    """The verdict once more, by a look into the model; after everything that does not need it."""
    place = st.session_state.pop(_PLACE, None)
    if place is not None:
        about = subject()
        draw_looked_into(place, about, translation(about))


def draw(about: Subject, found: Translation) -> DeltaGenerator | None:
    """What can be said without the model, and its place; None where all is said, as a run before found it."""
    known = st.session_state.get(_WHOLE)
    place = st.empty()
    if known is not None and known[0] == (about, about.model.sha256):
        place.html(verdict_line(known[1]))
        return None
    place.html(verdict_line(of(about, found, looked_into=False)))
    return place


def draw_looked_into(place: Any, about: Subject, found: Translation) -> None:
    """The whole verdict, in that place; it is kept for this visitor's next runs."""
    said = of(about, found)
    place.html(verdict_line(said))
    st.session_state[_WHOLE] = ((about, about.model.sha256), said)


def of(about: Subject, found: Translation, looked_into: bool = True) -> Verdict:
    """The verdict on a translation; without a look into the model, of what stands there alone."""
    hides = looked_into and {"hide", "cross"} <= {
        *about.model.facts.anatomy.abilities,
        *about.model.facts.anatomy.kinds,
    }
    threshold, read = basis(about, looked_into)
    return verdict(found, word_traces(about) if hides else None, threshold, read)


def basis(about: Subject, looked_into: bool = True) -> tuple[float, tuple[float, ...]]:
    """The threshold of the verdict, and what was read back: nothing, where no threshold was chosen for it."""
    known = about.model.warning
    read = read_back(about) if looked_into and known else ()
    return (known["joint_threshold" if read else "threshold"] if known else THRESHOLD), read


def draw_others(about: Subject) -> None:
    """Of a text's other sentences those that are doubted, without a look into the model: one line each."""
    for number, text in enumerate(parts()):
        if number == part():
            continue
        other = replace(about.own, text=text)
        try:
            said = of(other, written(other), looked_into=False)
        except HeadlightError:  # which its place in the translation says
            continue
        if said.level != "good":
            how = tag("strong", say("verdict.part", n=number + 1))
            st.html(line("verdict", how, " ", _joined(said.doubts), data_judged=said.level))


def verdict_line(said: Verdict) -> str:
    """The verdict in one line, its reasons in words, gravest first."""
    facts = {"confidence": f"{said.confidence:.0%}", "reasons": _joined(said.doubts)}
    how = say(f"verdict.{said.level}")
    gap = "" if how[-1] in "：。" else " "
    return line("verdict", tag("strong", how), gap, say(f"verdict.{said.level}.line", **facts), data_judged=said.level)


def _joined(doubts: Sequence[Doubt]) -> str:
    """The first reasons, and how many more there are."""
    reasons = list(_reasons(doubts))
    shown, more = reasons[:MOST_REASONS], len(reasons) - MOST_REASONS
    if more > 0:
        shown.append(say("verdict.more", n=more))
    return say("verdict.and").join(shown)


def _reasons(doubts: Sequence[Doubt]) -> Iterator[str]:
    told = set[str]()
    for doubt in doubts:
        if doubt.cause in ("word", "unread") and doubt.what:
            if doubt.cause not in told:
                words = [f"“{each.what}”" for each in doubts if each.cause == doubt.cause]
                plural = doubt.cause == "word" and len(words) > 1
                yield say("verdict.words" if plural else f"verdict.{doubt.cause}", what=", ".join(words))
            told.add(doubt.cause)
            continue
        if doubt.cause == "rare" and any(each.cause != "rare" and each.what == doubt.what for each in doubts):
            continue
        key = f"{doubt.cause}.whole" if doubt.cause == "unread" else doubt.cause
        key = "number.gone" if doubt.cause == "number" and not doubt.became else key
        yield say(f"verdict.{key}", what=doubt.what, became=doubt.became, share=f"{doubt.share:.0%}")
