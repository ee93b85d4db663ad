"""The heads: all of them, and those that are chosen large, in the viewer."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import cast

import numpy as np
import streamlit as st

from model.attribution.export import maps_csv, maps_json, trace_npz
from model.attribution.labelled_map import combine
from model.attribution.methods import METHOD_NAMES, METHODS, MethodName, traced_maps
from model.source import SEEN_OR_HEARD, LacksAbilityError, require_of
from model.trace import KIND_LETTERS, HeadRef, check_map
from viz.charts.markup import line
from viz.core.answers.maps import attribution_maps
from viz.core.answers.translations import trace, translation
from viz.core.choice import is_gone_back, language, picked, say
from viz.core.codes.choices import CHOICES
from viz.core.kept import kept
from viz.core.selection import REST, Selection, method_of, read_link
from viz.core.session import Session, Subject, chosen_token, read_session
from viz.core.theme import Theme
from viz.core.views import BERTVIZ_PICKERS
from viz.export.shown import labelled_maps, names
from viz.views.one_head import bertviz_lines
from viz.web.bundles import VIEWER
from viz.web.message import Envelope
from viz.web.payload import pack
from viz.widgets import deletion_bar, map_choice, patches, pins, take_away
from viz.widgets.errors import message, part, show_error
from viz.widgets.picker import bar, pick
from viz.widgets.places import register

_MADE = "_made"  # what a visitor has asked for of the subject that he looks at
MOST_MADE = 5  # beside what comes from the trace: a long sentence's maps are a megabyte a method
_component = register("workbench", bundle=VIEWER)
MARGIN = 12  # pixels under the viewer
_MOVED = "_moved"  # whether the viewer has told of another chosen token
PATCHES = 430  # pixels of a picture under the viewer


def row(now: Session, asked: Selection) -> None:
    """A button each; what needs the model is reckoned when it is unfolded."""
    with bar():
        _honesty(now, asked)
        _take_away(now, asked)
        take_away.as_code(now, asked)
        pins.pin_button(now, asked, "one_head")


def _honesty(now: Session, asked: Selection) -> None:
    kind = asked.heads[0].kind
    unfolded = st.popover(say("workbench.matters"), key="hl_matters", on_change="rerun")
    with unfolded:
        if unfolded.open:
            _sanity(now, asked)
            map_choice.meaning(now, cross=kind == "cross")
            maps = map_choice.maps(now, kind)
            heads = [maps[head[1:]] for head in asked.heads]
            values = combine(np.stack(heads), asked.together) if asked.merges else heads[0]
            deletion_bar.deletion_bar(now, kind, values, names(asked, language())[0])


def _sanity(now: Session, asked: Selection) -> None:
    if asked.method != "weights" or asked.merges:
        return
    sanity = check_map(trace(now.subject), *asked.heads[0])
    state = "holds" if sanity.holds else "fails"
    errors = {"sums": f"{sanity.row_sum_error:.1e}", "masked": f"{sanity.masked_weight:.1e}"}
    st.html(line(state, say(f"workbench.sanity.{state}", head=asked.heads[0].title, **errors)))


def _take_away(now: Session, asked: Selection) -> None:
    found, made = translation(now.subject), {head.kind: map_choice.maps(now, head.kind) for head in asked.heads}
    readings = labelled_maps(asked, made, found.trace)
    if not all(reading.weights.size for reading in readings):
        return
    stem = f"headlight-{'-'.join(head.code for head in asked.heads[:6])}-{asked.method}"
    named = list(zip(names(asked, language()), readings, strict=True))

    def numbers() -> None:
        for name, make in (("csv", lambda: maps_csv(named)), ("json", lambda: maps_json(named))):
            st.download_button(name.upper(), make, f"{stem}.{name}", key=f"export_{name}", on_click="ignore")
        st.download_button("NPZ", lambda: trace_npz(found), "headlight-trace.npz", key="export_npz", on_click="ignore")

    take_away.take_away(now, asked, named, stem, numbers)


def take(link: str) -> None:
    """Choose in the app what was chosen in the viewer; to be called in a component's callback."""
    told, now = read_link(link), read_session()
    there = now.choosing(method=told.method)
    heads = tuple(head for head in told.heads if exists(there, head))
    choices = replace(told, heads=heads).app
    outputs = len(trace(now.subject).tgt_outputs)
    if told.token == chosen_token(outputs) or (told.token or 0) >= outputs:
        choices.pop("step")
    st.session_state.update(choices)


def settled(now: Session) -> Session:
    """The choices with heads and tokens that there are, as the viewer settles them."""
    about = trace(now.subject)
    kinds = [kind for kind in KIND_LETTERS if kind in about.weights and kind in METHODS[now.method].kinds]
    there = tuple(head for head in now.selection.heads if exists(now, head))
    heads = there if now.head in there else (HeadRef(kinds[-1], 0, 0),)
    found = now.choosing(heads=heads, step=map_choice.chosen_step(now))
    return replace(found, selection=found.selection.at_token(chosen_token(len(about.tgt_outputs))))


def exists(now: Session, head: HeadRef) -> bool:
    """Whether the model has such a head, and the chosen method maps of it."""
    maps = trace(now.subject).weights.get(head.kind) if head.kind in METHODS[now.method].kinds else None
    return maps is not None and head.layer < maps.shape[0] and head.head < maps.shape[1]


def offered(subject: Subject) -> tuple[MethodName, ...]:
    """The methods that there are of this model's attention."""
    anatomy = subject.model.facts.anatomy
    able = (method for method in METHOD_NAMES if anatomy.abilities.issuperset(METHODS[method].needs))
    return tuple(method for method in able if set(METHODS[method].kinds) & set(trace(subject).weights))


def packed(subject: Subject, language: str, asked: str) -> tuple[bytes, str]:
    """The message with the methods of the trace, those asked for before, and ``asked``; and a name for it.

    Raises as ``translations.translation``; what could not be made is not asked for again.
    """
    traced = [method for method in offered(subject) if METHODS[method].from_trace]
    about, before = st.session_state.get(_MADE, (subject, ()))
    made = tuple(each for each in before if each != asked) if about == subject else ()
    if asked not in traced:
        made = (*made, asked)[-MOST_MADE:]
    found = whole_message(subject, language, (*traced, *sorted(made)))
    st.session_state[_MADE] = (subject, made)
    return found


@kept(16)
def whole_message(subject: Subject, language: str, methods: tuple[str, ...]) -> tuple[bytes, str]:
    """The message with these methods, and a name for it; raises as ``translations.translation``."""
    found, maps = translation(subject), {}
    for name in methods:
        method, step = method_of(name)
        is_traced = METHODS[method].from_trace is not None
        maps[name] = traced_maps(found.trace, method) if is_traced else attribution_maps(subject, method, step)
    more = [method for method in offered(subject) if method not in methods]
    sent = pack(found, maps, language=language, model=subject.checkpoint, more=more)
    return sent, hashlib.sha256(sent).hexdigest()[:16]


def said(key: str) -> str | None:
    """What the viewer with this key has last told of its choices, as a link; None before it told any."""
    link = part(message(key, "said"), "link")
    return read_link(link).in_app.link if isinstance(link, str) else None


def workbench(
    packed: bytes,
    name: str,
    link: str,
    *,
    theme: Theme,
    below: int,
    key: str,
    on_said: Callable[[str], None],
) -> None:
    """The viewer, as high as the window leaves room.

    Args:
        packed: the message, as ``viz.web.payload.pack`` makes it.
        name: tells it from other messages.
        link: what is chosen, written as ``Selection.link`` is; the viewer follows where it is not what it told itself.
        below: pixels to be left free under it.
        on_said: called with what the visitor has chosen, before the script runs again.
    """

    def told() -> None:
        if (now := said(key)) is not None:
            on_said(now)

    link, serial = _led(key, link)
    around = {"dark": theme.is_dark, "below": below}
    envelope = cast("Envelope", {"id": name, "link": link, "serial": serial, **around})
    _component.send(sent(packed, envelope), key=key, on_said_change=told)


def _led(key: str, link: str) -> tuple[str, int]:
    """The link that the viewer was last told to follow, and the number of times.

    Who is led loses what he has chosen since: only where something else has chosen for him. The same link told again
    has another number.
    """
    heard = message(key, "said")
    led = st.session_state.setdefault(f"_{key}", {"link": link, "serial": 1, "heard": heard})
    if link != (led["link"] if heard == led["heard"] else said(key)):
        led.update(link=link, serial=led["serial"] + 1, heard=heard)
    return led["link"], led["serial"]


def sent(packed: bytes, envelope: Envelope) -> bytes:
    """Length of the envelope (uint32, little-endian), envelope (JSON, UTF-8), message."""
    before = json.dumps(envelope).encode()
    return struct.pack("<I", len(before)) + before + packed


def show(now: Session, below: int) -> LacksAbilityError | None:
    """The viewer, and over it what can be taken away; what the model lacks of what a link asks for, to be said.

    Args:
        below: pixels to be left free under it.
    """
    with bar():  # nobody types there, but the link holds it
        st.text_input("viewer", key=REST, bind="query-params", label_visibility="collapsed", width=1)
        st.html(f"<style>.st-key-{REST} {{ display: none; }}</style>")
    lacks = None
    if now.method not in offered(now.subject):
        lacks, now = _lacking(now), now.choosing(method="weights", step=None)
    now = settled(now)
    sent, name = packed(now.subject, language(), now.selection.map_name)
    row(now, now.selection.fitting)
    workbench(sent, name, now.selection.link, theme=now.theme, below=below, key="workbench", on_said=_told)
    map_choice.prepare(now)
    return lacks


def _lacking(now: Session) -> LacksAbilityError | None:
    """Why there is nothing of what a link asks for; None where this model's attention has merely none of it."""
    try:
        require_of(now.model.facts.anatomy, now.checkpoint, *METHODS[now.method].needs)
    except LacksAbilityError as error:
        return error
    return None


def _told(link: str) -> None:
    """Choose what was chosen; the chosen token is the frame's, which must be shown anew for another."""
    n_tokens = len(trace(read_session().subject).tgt_outputs)
    before = chosen_token(n_tokens)
    take(link)
    st.session_state[_MOVED] = chosen_token(n_tokens) != before


def token_moved() -> bool:
    """Whether the viewer has just told of another chosen token."""
    return bool(st.session_state.pop(_MOVED, False))


def view(session: Session) -> None:
    """All of it: a choice draws this anew and not the frame around it."""
    _draw(session)
    if token_moved():
        st.rerun()


def own_pickers() -> tuple[str, ...]:
    """The frame's pickers that are used: those of what BertViz draws; the viewer has its own choices."""
    painter = CHOICES["lines"].read(st.query_params.get("lines")) if is_gone_back() else picked("lines")
    return () if painter in (None, "viewer") else BERTVIZ_PICKERS


def _draw(now: Session) -> None:
    with bar():
        painter = pick("lines", labelled=False, as_list=True, width=190)
    if painter != "viewer":
        bertviz_lines.draw(now, painter)
        return
    is_picture = now.model.reads in SEEN_OR_HEARD
    place, picture = st.container(), st.container()
    with picture:
        if is_picture:
            patches.over_picture(now.choosing(combine="head"))
    with place:
        if (lacks := show(now, PATCHES if is_picture else MARGIN)) is not None:
            show_error(lacks)
