"""Which head's muting changes the chosen token: asked for on the line over the mixing desk, told on the desk."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import streamlit as st

from model.trace import HeadRef
from viz.charts.markup import line
from viz.core.answers import what_if
from viz.core.answers.translations import translation
from viz.core.choice import say
from viz.core.going import open_view
from viz.core.numbers import shown_piece, signed
from viz.core.session import Session
from viz.widgets.desk_board import MutedAlone
from viz.widgets.head_facts import title
from viz.widgets.picker import bar, coded, shown_key
from viz.widgets.places import looked_at

if TYPE_CHECKING:
    from model.analysis.what_if.repair import Repair

ASKED, WANTED = "repair", "wanted"  # places in the link: whether it is asked, and the id of the token that was expected
ON, TOGGLED = "1", "repair_asked"  # what the first holds, and the key of the button that sets it
NAMED_HEADS = 6
SMALL_CHANGE = 0.05  # nats; a smaller one is not written into its cell


def ask(now: Session) -> MutedAlone | None:
    """The button, the choice of an expected token, and what muting each head alone does; None where nobody asks."""
    with bar():
        st.session_state[TOGGLED] = is_asked = st.session_state.get(ASKED) == ON
        st.toggle(say("repair.ask"), key=TOGGLED, help=say("repair.ask.help"), on_change=_take)
        found = _found(now) if is_asked else None
        wanted = _wanted(now, found)
    return _told(now, found, wanted) if found else None


def open_desk() -> None:
    """Go to the desk and ask there; to be called in a widget's callback."""
    st.session_state[ASKED] = ON
    open_view("mixing_desk")


def _take() -> None:
    st.session_state[ASKED] = ON if st.session_state[TOGGLED] else ""


def _found(now: Session) -> Repair | None:
    """The answer for the token that is looked at; None, and a sentence, where the model did not write it."""
    found = translation(now.subject)
    step = looked_at(found)
    if not found.given <= step < len(found.log_probs):
        st.html(line("alt", say("repair.no_token")), width="content")
        return None
    with st.spinner(say("wait.repair")):
        return what_if.repairs(now.subject, step)


def _wanted(now: Session, found: Repair | None) -> int | None:
    """The token that the visitor expected, of those that are compared; drawn out of sight where nothing is found."""
    labels = {"": say("repair.any")}
    if found:
        labels |= {
            str(token): f"{_token(now, token)} · {_percent(float(value))}"
            for token, value in list(zip(found.tokens, found.plain, strict=True))[1:]
        }
    look = {"label_visibility": "collapsed", "width": 190}
    code = coded(st.selectbox, WANTED, say("repair.wanted"), labels, "", str, **look)
    away = [f".st-key-{WANTED}", *([] if found else [f".st-key-{shown_key(WANTED)}"])]
    st.html(f"<style>{', '.join(away)} {{ display: none; }}</style>")
    return int(code) if code else None


def _told(now: Session, found: Repair, wanted: int | None) -> MutedAlone:
    """The answer in words, for every head."""
    ranked = found.ranked(wanted)
    shown = found.written if wanted is None else wanted
    return MutedAlone(
        said=_sentence(now, found, wanted),
        heads={head: _of_head(now, found, head, shown) for head in ranked[:NAMED_HEADS]},
        change=found.change(shown),
        other=frozenset(filter(found.changes, ranked)),
        cell=lambda head: _cell(now, found, head, shown),
        long=lambda head: f"{_of_head(now, found, head, shown)} ({_nats(found, head, shown)})",
    )


def _sentence(now: Session, found: Repair, wanted: int | None) -> str:
    """How many heads do it, of all."""
    heads = found.ranked()
    if wanted is None:
        count = sum(map(found.changes, heads))
        key = "changed" if count else "unchanged"
    else:
        count = sum(int(found.then[head.kind][head[1:]]) == wanted for head in heads)
        key = "made" if count else "not_made"
    said = {
        "step": found.step + 1,
        "token": _token(now, found.written),
        "percent": _percent(float(found.plain[0])),
        "count": count,
        "heads": len(heads),
        "wanted": "" if wanted is None else _token(now, wanted),
    }
    sentences = [say(f"repair.{key}", **said)]
    if found.first != found.written:
        sentences.append(say("repair.first", first=_token(now, found.first)))
    return " ".join(sentences)


def _of_head(now: Session, found: Repair, head: HeadRef, token: int) -> str:
    """What muting a head does to one token, and what is written then."""
    at, place = (head.kind, head[1:]), found.tokens.index(token)
    before, after = float(found.plain[place]), float(found.muted[at[0]][at[1]][place])
    said = {
        "head": title(head),
        "token": _token(now, token),
        "before": _percent(before),
        "after": _percent(after),
        "then": _token(now, int(found.then[at[0]][at[1]])),
    }
    return say("repair.head.other" if found.changes(head) else "repair.head", **said)


def _cell(now: Session, found: Repair, head: HeadRef, token: int) -> str:
    """The token that is written instead, or else the change of this one's log-probability."""
    if found.changes(head):
        return _token(now, int(found.then[head.kind][head[1:]]))
    change = float(found.change(token)[head.kind][head[1:]])
    return signed(change) if abs(change) >= SMALL_CHANGE else ""


def _nats(found: Repair, head: HeadRef, token: int) -> str:
    return say("repair.nats", change=signed(float(found.change(token)[head.kind][head[1:]])))


def _token(now: Session, token: int) -> str:
    return shown_piece(now.model.opened.piece(token))


def _percent(log_prob: float) -> str:
    share = 100 * math.exp(log_prob)
    return f"{share:.0f} %" if share >= 1 else "< 1 %"
