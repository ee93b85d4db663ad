"""The answer for one written token: which source word it comes from, with the evidence, in a column of 300 px."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from model.analysis.faithfulness.evidence import Evidence, evidence, telling_token
from model.attribution.methods import METHODS
from model.source import Need
from viz.charts.markup import line
from viz.core.answers.faithfulness import left_out
from viz.core.answers.maps import attribution_maps
from viz.core.answers.translations import translation
from viz.core.going import open_view
from viz.core.language import say
from viz.core.numbers import number
from viz.core.session import Session, chosen_token
from viz.views.translate import rivals
from viz.views.translate.answer import right_rate, trusted, word_marks
from viz.views.translate.head_lines import head_facts_line, head_words
from viz.views.translate.share import share_bar
from viz.widgets import repair

if TYPE_CHECKING:
    from model.analysis.faithfulness.deletion import LeftOut
    from model.trace import TracedTranslation

PANEL_STYLE = """<style>
.st-key-hl_answer { font-size: .9rem; }
.st-key-hl_answer p.hl-lead { font-size: 1.05rem; font-weight: 600; opacity: 1; margin: 0; }
.st-key-hl_answer p.hl-alt { font-size: .875rem; }
</style>"""


def token_of(now: Session) -> int | None:
    """The written token that answers are for, counted from 0: the chosen one, else one to begin with; None without any.

    An end that was never written has no answer.
    """
    found = translation(now.subject)
    outputs = found.trace.tgt_outputs
    place = chosen_token(len(outputs))
    if place is not None and place < len(found.log_probs):
        return place
    return telling_token(outputs, found.log_probs)


def answer_line(now: Session, with_head: bool) -> None:
    """Where the token comes from, in a sentence, and another on the chosen head where that is what is shown.

    Nothing where there is no token, or the model does not offer what it takes.
    """
    place = token_of(now)
    offers = now.model.opened.anatomy.offers
    if place is not None and offers("hide") and offers("cross"):
        _evidence(now, translation(now.subject), place, with_head)


def draw(now: Session) -> None:
    """What else is known of the token, and the ways on; nothing where there is no token."""
    place = token_of(now)
    if place is None:
        return
    found = translation(now.subject)
    token = found.trace.tgt_outputs[place].text
    sure = say("panel.sure", percent=f"{math.exp(found.log_probs[place]):.0%}")
    offers = now.model.opened.anatomy.offers
    with st.container(key="hl_answer", gap="small"):
        st.html(PANEL_STYLE)
        st.html(line("lead", say("panel.title", token=token)) + line("alt", sure))
        if offers("hide") and offers("cross") and (rate := right_rate(now.checkpoint, "leave_one_out")):
            st.html(line("alt", rate))  # deletion has named the word
        if offers("internals") and offers("votes") and offers("cross"):
            rivals.draw(now, place)
        if _offers_all(now, "cross", *METHODS["alti"].needs):
            source = source_share(now, place)
            st.html(share_bar(source, say("panel.share", source=f"{source:.0%}", read=f"{1 - source:.0%}")))
        if facts := head_facts_line(now):
            st.html(line("alt", facts))
        _ways_on(now)


def source_share(now: Session, place: int) -> float:
    """How much of a step's last state came from the source, by ALTI+; the rest came from the translation so far."""
    return float(np.clip(attribution_maps(now.subject, "alti", None)["cross"][0, 0, place].sum(), 0.0, 1.0))


def told(said: Evidence, left: LeftOut, token: str, method: str) -> str:
    """The evidence in a sentence; ``method`` is what the map that marks words is called."""
    quoted = [f"“{left.words[place].text}”" for place in said.others[:2]]
    facts = {
        "token": token,
        "word": left.words[said.word].text,
        "cost": number(said.cost, 1),
        "times": f"{math.floor(said.times):d}" if math.isfinite(said.times) else "",
        "marked": left.words[said.marked].text,
        "others": ", ".join(quoted),
        "method": method,
    }
    key = "alone" if said.found == "clear" and not math.isfinite(said.times) else said.found
    return say(f"panel.{key}", **facts)


def _evidence(now: Session, found: TracedTranslation, place: int, with_head: bool) -> None:
    left = left_out(now.subject)
    if not left.costs.size:
        return
    method = trusted(now.checkpoint)
    if method is None or not _offers_all(now, *METHODS[method].needs):
        method = "weights"
    marks = word_marks(now.subject, found.trace, method)[place]
    said = evidence(left.costs[:, place], marks)
    look = "holds" if said.found == "clear" else "fails" if said.found == "split" else "alt"
    sentence = told(said, left, found.trace.tgt_outputs[place].text, say(f"method.{method}"))
    about_head = _of_head(now, found, place, said, left) if with_head else ""
    st.html(line(look, sentence, data_found=said.found, data_word=left.words[said.word].text) + about_head)


def _of_head(now: Session, found: TracedTranslation, place: int, said: Evidence, left: LeftOut) -> str:
    """What the chosen cross head says to it."""
    rows = head_words(now, found.trace) if now.kind == "cross" else ()
    if place >= len(rows):
        return ""
    pointed = int(rows[place].argmax())
    how = "open" if said.found != "clear" else "agrees" if pointed == said.word else "differs"
    named = {"head": now.head.title, "word": left.words[pointed].text}
    return line("fails" if how == "differs" else "alt", say(f"panel.head.{how}", **named), data_head=how)


def _offers_all(now: Session, *needs: Need) -> bool:
    return all(map(now.model.opened.anatomy.offers, needs))


def _ways_on(now: Session) -> None:
    """The views that show more, each a button."""
    reads, offers = now.model.opened.anatomy.reads, now.model.opened.anatomy.offers
    views = {
        "trust": reads == "text",
        "fork": offers("internals") and offers("votes") and reads in ("text", "prompt"),
        "one_head": True,
        "heads": offers("gains"),
        "alignment": reads == "text" and offers("internals") and offers("gradients"),
    }
    with st.container(horizontal=True, gap="small"):
        for name in (name for name, there in views.items() if there):
            st.button(say(f"panel.open.{name}"), key=f"more_{name}", type="tertiary", on_click=_open, args=(name,))
        if offers("gains"):
            st.button(say("panel.open.repair"), key="more_repair", type="tertiary", on_click=repair.open_desk)


def _open(name: str) -> None:
    """Go to a view; to that of deletion with this sentence, not the table over many."""
    if name == "trust":
        st.session_state["trust"] = "sentence"
    open_view(name)
