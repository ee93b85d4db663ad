"""The choices that the views share: which head, what is shown of it, and how it is read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from importlib import import_module
from typing import Any

import streamlit as st

from model.attribution.methods import METHODS
from model.errors import HeadlightError
from model.source import SEEN_OR_HEARD
from viz.app import header
from viz.core.answers.translations import trace
from viz.core.choice import PICKED, picked, say, token_code
from viz.core.codes.choices import CHOICES
from viz.core.models import ModelEntry, current
from viz.core.session import Session, chosen_kind, combinable, read_session, subject
from viz.core.views import ViewSpec
from viz.widgets import map_choice, pins
from viz.widgets.picker import coded, hide, offer_bar, pick

PICKERS = PICKED
OWN_PIN = ("one_head", "about")  # the viewer's own scenes can be played; about a checkpoint there is nothing to play
HEAD_PICKERS = ("kind", "layer", "head")  # on the line over a view; the others are behind one button


def draw(spec: ViewSpec) -> None:
    """The row of pickers over a view, with something in each that there is."""
    settle()
    row(spec)


def row(spec: ViewSpec) -> None:
    """The row of pickers over a view, once they are settled.

    Those that the view does not use are method too, in the same place but out of sight: a choice that
    comes and goes would leave the URL with its widget, and the browser's Back would forget it.
    """
    model = current()
    with st.container(key="hl_bar", horizontal=True, vertical_alignment="center", gap="small"):
        header.tabs(spec)
        offer_bar(
            st.container(key="hl_own", horizontal=True, vertical_alignment="center", gap="small", width="content")
        )
        with st.popover(head_title(read_session(), used_by(spec)), width="content", key="hl_head"):
            for picker in HEAD_PICKERS:
                _draw(picker, model)
        with st.popover(say("app.display"), width="content", help=say("app.display.help"), key="hl_display"):
            for picker in (each for each in PICKERS if each not in HEAD_PICKERS):
                _draw(picker, model)
        if spec.section != "show" and spec.name not in OWN_PIN:
            pins.view_button(spec.name)
    used = set(used_by(spec)) - idle(read_session())
    hide([picker for picker in PICKERS if picker not in used])
    behind = {"hl_head": HEAD_PICKERS, "hl_display": PICKERS[len(HEAD_PICKERS) :]}
    hide(button for button, there in behind.items() if not used & set(there))


def used_by(spec: ViewSpec) -> tuple[str, ...]:
    """The pickers that a view uses now."""
    own: tuple[str, ...] = import_module(spec.module).own_pickers() if spec.own_pickers else spec.pickers
    return own


def head_title(now: Session, used: Collection[str]) -> str:
    """What is chosen behind the button: of kind, layer and head those that the view uses."""
    several = len(now.model.facts.anatomy.kinds) > 1
    kind = say(f"kind.{now.kind}") if several else ""
    named = {"kind": kind, "layer": f"L{now.head.layer}", "head": f"H{now.head.head}"}
    return " ".join(name for picker, name in named.items() if name and picker in used) or now.head.title


def settle() -> None:
    """Bring what is chosen within what this checkpoint and kind offer, before any picker is shown."""
    state, model = st.session_state, current()
    for picker in ("layer", "head"):
        if picker in state and state[picker] not in (options := _numbers(picker, model)):
            state[picker] = options[-1]
    if "over" in state:
        codes = combinable(model, chosen_kind(model))
        state["over"] = [code for code in state["over"] if code in codes]


def idle(now: Session) -> set[str]:
    """The pickers that have nothing to choose, given what the others hold."""
    none = set()
    anatomy = now.model.facts.anatomy
    if len(anatomy.kinds) == 1:
        none.add("kind")
    if "cross" not in anatomy.kinds:
        none.add("shift")
    if anatomy.reads in SEEN_OR_HEARD:
        none |= {"words"} if "cross" in anatomy.kinds else {"words", "of"}
    if not METHODS[now.method].of_token:
        none.add("of")
    if METHODS[now.method].of_written:
        none.add("shift")
    per = METHODS[now.method].per
    if per != "head":
        none |= {"combine", "head"} | ({"layer"} if per == "model" else set())
    if now.selection.combine == "head":
        none.add("over")
    return none


def _draw(picker: str, model: ModelEntry) -> None:
    """One picker of a checkpoint; what is chosen lives in the link."""
    if picker == "of":
        _token_picker()
    elif picker == "over":
        _over_picker(model)
    elif picker in CHOICES:
        look: dict[str, Any] = {"as_list": True, "width": 190} if picker == "method" else {}
        anatomy = model.facts.anatomy
        if picker == "kind":
            look["only"] = anatomy.kinds
        elif picker == "method":  # and what a link asks for in spite of it, which is then said
            look["only"] = {each for each in METHODS if anatomy.abilities.issuperset(METHODS[each].needs)} | {
                picked("method")
            }
        pick(picker, str(model.opening.get(picker, "")), **look)
    elif picker in ("words", "special"):
        st.toggle(say(f"app.{picker}"), key=picker, help=say(f"app.{picker}.help"), bind="query-params")
    else:
        options, start = _numbers(picker, model), model.opening[picker]
        st.segmented_control(
            say(f"app.{picker}"),
            options,
            default=start if start in options else options[-1],
            key=picker,
            required=True,
            help=say(f"app.{picker}.help"),
            bind="query-params",
        )


def _numbers(picker: str, model: ModelEntry) -> Sequence[int]:
    """The layers of the chosen kind, or the heads."""
    sizes = model.facts.anatomy.kinds[chosen_kind(model)]
    return range(sizes.heads if picker == "head" else sizes.layers)


def _token_picker() -> None:
    """Which output token gradients are of; where there is no translation, there is no choice."""
    try:
        labels = map_choice.step_labels(trace(subject()).tgt_outputs)
    except HeadlightError:
        labels = map_choice.step_labels(())
    coded(st.selectbox, "of", say("app.of"), labels, "0", token_code, help=say("app.of.help"), width=150)


def _over_picker(model: ModelEntry) -> None:
    """Which layers and heads are combined; none chosen means all."""
    st.multiselect(
        say("app.over"),
        combinable(model, chosen_kind(model)),
        key="over",
        placeholder=say("combine.everything"),
        help=say("app.over.help"),
        bind="query-params",
        width=260,
    )
