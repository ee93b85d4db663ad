"""The choices that the views share: which head, what is drawn of it, and how it is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from model.analysis.drawn import DRAWN, OF_TOKEN, SHIFTS
from model.errors import HeadlightError
from model.trace import KINDS
from viz import combined, drawing, session
from viz.session import say

PICKERS = ("kind", "layer", "head", "words", "special", "drawn", "of", "shift", "combine", "over")


def draw(picker: str, name: str) -> None:
    """One picker of a checkpoint; what is chosen lives in the link."""
    if picker == "drawn":
        _named_choice(st.selectbox, picker, DRAWN, index=0, width=190)
        return
    if picker in ("of", "over"):
        (_token_picker if picker == "of" else _over_picker)()
        return
    if picker == "combine":
        _named_choice(st.segmented_control, picker, combined.HOW, default="head", required=True)
        return
    sizes, opening = session.config(name), session.opening(name)
    if picker == "shift":
        _named_choice(st.segmented_control, picker, SHIFTS, default=opening[picker], required=True)
        return
    kind = session.chosen_named("kind", opening["kind"], KINDS)
    layers = range(sizes["n_encoder_layers" if kind == "encoder_self" else "n_decoder_layers"])
    options: Sequence[Any] = {"kind": KINDS, "layer": layers, "head": range(sizes["n_heads"])}.get(picker, ())
    if not options:
        st.toggle(say(f"app.{picker}"), key=picker, help=say(f"app.{picker}.help"), bind="query-params")
        return
    if picker in st.session_state and st.session_state[picker] not in options:
        st.session_state[picker] = options[-1]
    st.segmented_control(
        say(f"app.{picker}"),
        options,
        default=opening[picker] if opening[picker] in options else options[-1],
        format_func=lambda value: say(f"kind.{value}") if picker == "kind" else str(value),
        key=picker,
        required=True,
        help=say(f"app.{picker}.help"),
        bind="query-params",
    )


def idle() -> set[str]:
    """The pickers that have nothing to choose, given what the others hold."""
    now, none = session.view(), set()
    if now.drawn not in OF_TOKEN:
        none.add("of")
    if now.drawn == "rollout":
        none |= {"combine", "head"}
    if combined.combination(now).how == "head":
        none.add("over")
    return none


def _named_choice(widget: Any, picker: str, options: Sequence[str], **more: Any) -> None:
    """A picker whose options the visitor reads as ``<picker>.<option>``."""
    widget(
        say(f"app.{picker}"),
        options,
        format_func={option: say(f"{picker}.{option}") for option in options}.__getitem__,
        key=picker,
        help=say(f"app.{picker}.help"),
        bind="query-params",
        **more,
    )


def _token_picker() -> None:
    """Which output token gradients are of; where there is no translation, there is no choice."""
    try:
        labels = drawing.step_labels(session.trace().tgt_outputs)
    except HeadlightError:
        labels = drawing.step_labels(())
    if st.session_state.get("of", 0) not in labels:
        st.session_state["of"] = 0
    st.selectbox(
        say("app.of"),
        list(labels),
        format_func=labels.__getitem__,
        key="of",
        help=say("app.of.help"),
        bind="query-params",
        width=150,
    )


def _over_picker() -> None:
    """Which layers and heads are combined; none chosen means all."""
    codes = combined.codes(session.view())
    if "over" in st.session_state:
        st.session_state["over"] = [code for code in st.session_state["over"] if code in codes]
    st.multiselect(
        say("app.over"),
        codes,
        key="over",
        placeholder=say("combine.everything"),
        help=say("app.over.help"),
        bind="query-params",
        width=260,
    )
