"""The verdict on the translation, directly under it in every view."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.analysis.what_if.verdict import THRESHOLD, Doubt, Verdict, verdict
from model.errors import HeadlightError
from model.trace import Translation
from viz.charts.markup import line, tag
from viz.core.answers.translations import translation, written
from viz.core.answers.what_if import better_both_ways, read_back, word_traces
from viz.core.choice import say
from viz.core.session import Subject, force, part, parts, prefer, subject

MOST_REASONS = 3
_PLACES = "_verdict"  # where it and what is offered stand in this run, until it is whole
_WHOLE = "_verdict_on"  # in a visitor's session: what the last whole verdict is about, and it


def is_judged(about: Subject) -> bool:
    """Whether there is a verdict: of models that translate words, not of letters or of anything else."""
    return about.model.reads == "text" and not about.model.by_letter


def draw_here(about: Subject, found: Translation, offers: bool = False) -> None:
    """The verdict on a translation that is judged, and those on a text's other sentences; made whole by ``finish``.

    Args:
        about: what was translated.
        found: its translation.
        offers: of one that is doubted, show another that may be better, if there is one.
    """
    st.session_state.pop(_PLACES, None)
    if found.log_probs and is_judged(about):
        st.session_state[_PLACES] = draw(about, found), st.empty() if offers else None
        draw_others(about)


def finish() -> None:
    """The verdict once more, by a look into the model; after everything that does not need it."""
    places = st.session_state.pop(_PLACES, None)
    if places is not None:
        about = subject()
        place, other = places
        said = draw_looked_into(place, about, translation(about)) if place else st.session_state[_WHOLE][1]
        if other is not None and said.level != "good":
            offer(other, about)


def draw(about: Subject, found: Translation) -> DeltaGenerator | None:
    """What can be said without the model, and its place; None where all is said, as a run before found it."""
    known = st.session_state.get(_WHOLE)
    place = st.empty()
    if known is not None and known[0] == (about, about.model.sha256):
        place.html(verdict_line(known[1]))
        return None
    place.html(verdict_line(of(about, found, looked_into=False)))
    return place


def draw_looked_into(place: DeltaGenerator, about: Subject, found: Translation) -> Verdict:
    """The whole verdict, in that place; it is kept for this visitor's next runs."""
    said = of(about, found)
    place.html(verdict_line(said))
    st.session_state[_WHOLE] = ((about, about.model.sha256), said)
    return said


def offer(place: DeltaGenerator, about: Subject) -> None:
    """A hypothesis that both directions find better, if there is one, and the way to its maps."""
    better = better_both_ways(about)
    if better is None:
        return
    with place.container(key="hl_better", horizontal=True, vertical_alignment="center", gap="small"):
        st.html(line("better", say("verdict.better"), " ", tag("b", better.text, lang="zh")), width="content")
        st.button(say("verdict.better.open"), key="open_better", on_click=force, args=("hyp", _ids(about, better)))


def take_better() -> None:
    """Inspect what both directions find best in place of the model's own choice, where the visitor wants that.

    Raises:
        HeadlightError: as ``translation``.
    """
    own = subject().own
    better = better_both_ways(own) if is_read_back(own) else None
    prefer(own, _ids(own, better) if better else ())


def is_read_back(about: Subject) -> bool:
    """Whether the visitor wants what both directions find best."""
    return bool(st.session_state.get("read_back")) and is_judged(about)


def of_another(about: Subject) -> Translation:
    """The translation of a text's sentence that is not looked at, as it is shown where it is.

    Raises:
        HeadlightError: as ``translation``.
    """
    return (better_both_ways(about) if is_read_back(about) else None) or written(about)


def own_again() -> None:
    """Back to the model's own choice; to be called in a widget's callback."""
    force("hyp", ())
    if st.session_state.get("read_back"):
        st.session_state["read_back"] = False


def _ids(about: Subject, found: Translation) -> tuple[int, ...]:
    """What is forced for a translation to be written again, its end with it."""
    return (*found.tgt_ids, about.model.facts.end_id) if found.finished else found.tgt_ids


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
            said = of(other, of_another(other), looked_into=False)
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
