"""What is chosen in the viewer: its link made of the app's choices, and back."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from model.attribution.methods import METHODS
from model.trace import KIND_LETTERS, HeadRef
from viz.core.answers.translations import trace
from viz.core.choice import chosen_text
from viz.core.session import Session, choose_head, choose_token, chosen_token, read_session
from viz.export.shown import Shown
from viz.web.link import listed, read_link, token_of, with_token, write_link
from viz.web.payload import method_code, sort_of
from viz.widgets import map_choice as drawing

KEY = "viewer"  # of what the app itself has no choice for, and of its place in the link


def link_of(now: Session) -> str:
    """What the app's choices, and ``viewer`` in its link, mean as a link of the viewer."""
    own, token = read_link(chosen_text(KEY)), chosen_token(len(trace(now.subject).tgt_outputs))
    heads = listed(own, "h")
    choices = with_token(own, token) | {
        "h": own["h"] if now.head.code in heads[:1] else now.head.code,
        "d": "" if now.method == "weights" else name_of(now),
        "w": "1" if now.words else "",
        "s": "1" if now.hide_special else "",
        "r": "read" if now.shift == "read" else "",
    }
    return write_link(choices)


def name_of(now: Session) -> str:
    """The chosen sort as a message calls it: gradients of one token are a sort of their own."""
    return method_code(now.method, drawing.chosen_step(now))


def take(link: str) -> None:
    """Choose in the app what was chosen in the viewer; to be called in a component's callback."""
    choices, now, state = read_link(link), read_session(), st.session_state
    try:
        method, step = sort_of(choices.get("d", "weights"))
    except ValueError:
        method, step = now.method, drawing.chosen_step(now)
    told = replace(now, method=method)
    heads = [head for head in map(HeadRef.parse, listed(choices, "h")) if head and exists(told, head)]
    if heads:
        choose_head(heads[0])
    state["method"] = method
    if METHODS[method].of_token:
        state["of"] = str((-1 if step is None else step) + 1)
    if not METHODS[method].of_written:
        state["shift"] = "read" if choices.get("r") == "read" else "written"
    state["words"], state["special"] = (choices.get(letter) == "1" for letter in "ws")
    outputs, token = len(trace(now.subject).tgt_outputs), token_of(choices)
    if token != chosen_token(outputs) and (token is None or token < outputs):
        choose_token(token)
    state[KEY] = _rest(choices)


def settled(now: Session) -> Session:
    """The choices with a head that the chosen sort has maps of, as the viewer settles them."""
    kinds = [kind for kind in KIND_LETTERS if kind in trace(now.subject).weights and kind in METHODS[now.method].kinds]
    return now if now.kind in kinds else replace(now, head=HeadRef(kinds[-1], 0, 0))


def exists(now: Session, head: HeadRef) -> bool:
    """Whether the model has such a head, and the chosen sort maps of it."""
    maps = trace(now.subject).weights.get(head.kind) if head.kind in METHODS[now.method].kinds else None
    return maps is not None and head.layer < maps.shape[0] and head.head < maps.shape[1]


def _rest(choices: dict[str, str]) -> str:
    """What the app has no choice for."""
    rest = {letter: value for letter, value in choices.items() if letter not in "dwsr"}
    if len(listed(choices, "h")) < 2:
        rest.pop("h", None)
    if choices.get("p") == f"t{token_of(choices)}":
        rest.pop("p", None)
    return write_link(rest)


def shown(now: Session, link: str) -> Shown:
    """What is drawn large, as what is taken away takes it."""
    choices = read_link(link)
    together = choices.get("x", "side")
    found = [head for head in map(HeadRef.parse, listed(choices, "h")) if head and exists(now, head)] or [now.head]
    alike = [head for head in found if head.kind == found[0].kind]
    as_one = together in ("mean", "max") and len(alike) > 1
    gap = together == "difference" and len(alike) > 1
    return Shown(
        heads=tuple(alike if as_one else alike[:2] if gap else found),
        how=together if as_one else "head",
        method=now.method,
        step=drawing.chosen_step(now),
        words=now.words,
        hide_special=now.hide_special,
        shift=now.shift,
        own_scale=choices.get("o") == "own",
        threshold=_part(choices.get("t", "0")),
        difference=gap,
    )


def _part(said: str) -> float:
    try:
        return min(1.0, max(0.0, float(said)))
    except ValueError:
        return 0.0
