"""The choices that the views share: which head, what is drawn of it, and how it is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from model.analysis.drawn import DRAWN, OF_TOKEN, SHIFTS
from model.errors import HeadlightError
from model.folders import n_layers
from model.trace import KINDS
from viz import combined, drawing, session
from viz.session import say

PICKERS = ("kind", "layer", "head", "words", "special", "drawn", "of", "shift", "combine", "over")
HEAD = ("kind", "layer", "head", "words", "special")
DRAWN_OF, COMBINED = ("drawn", "of"), ("combine", "over")
USED: Mapping[str, tuple[str, ...]] = {  # by view; one that is not here uses none
    "translate": ("layer", "head", "words", "special", *DRAWN_OF, "shift", *COMBINED),
    "all_heads": ("words", "special", *DRAWN_OF, "shift"),
    "one_head": (*HEAD, *DRAWN_OF, "shift", *COMBINED),
    "side_by_side": ("words", "special", *DRAWN_OF, "shift"),
    "lines": (*HEAD, *DRAWN_OF, "shift"),
    "step_by_step": ("layer", "head", "words", *COMBINED),
    "fork": ("words",),
    "mixing_desk": ("words",),
    "heads": ("words", "special"),
    "find": HEAD,
    "alignment": ("layer", "head", "shift"),
    "flow": ("words",),
    "lens": ("kind", "layer", "head"),
    "trust": ("layer", "head", *DRAWN_OF, "shift"),
    "inside": ("kind", "layer", "head"),
    "masks": ("kind", "layer", "head"),
}


def draw(view: str) -> None:
    """The row of pickers over a view, with something in each that there is."""
    settle()
    row(view)


def row(view: str) -> None:
    """The row of pickers over a view, once they are settled.

    Those that the view does not use are drawn too, in the same place but out of sight: a choice that
    comes and goes would leave the URL with its widget, and the browser's Back would forget it.
    """
    name = session.checkpoint()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        for picker in PICKERS:
            _draw(picker, name)
    used = set(USED.get(view, ())) - idle()
    hide([picker for picker in PICKERS if picker not in used])


def hide(names: Iterable[str]) -> None:
    """Keep these pickers out of sight."""
    st.html(f"<style>{', '.join(f'.st-key-{name}' for name in names) or '.hl-none'} {{ display: none; }}</style>")


def settle() -> None:
    """Bring what is chosen within what this checkpoint, kind and sentence offer, before any picker is drawn."""
    state = st.session_state
    options = _options(session.checkpoint())
    for picker in ("layer", "head"):
        if picker in state and state[picker] not in options[picker]:
            state[picker] = options[picker][-1]
    if state.get("of", 0) not in _token_labels():
        state["of"] = 0
    if "over" in state:
        codes = combined.codes(session.view())
        state["over"] = [code for code in state["over"] if code in codes]


def are_known(*others: str) -> bool:
    """True once each picker, and each of ``others``, has been drawn: what they hold can be read before they are."""
    return all(key in st.session_state for key in (*PICKERS, *others))


def _options(name: str) -> dict[str, Sequence[Any]]:
    kind = session.chosen_named("kind", session.opening(name)["kind"], KINDS)
    sizes = session.config(name)
    return {"kind": KINDS, "layer": range(n_layers(sizes, kind)), "head": range(sizes["n_heads"])}


def _draw(picker: str, name: str) -> None:
    """One picker of a checkpoint; what is chosen lives in the link."""
    if picker == "drawn":
        _named_choice(st.selectbox, picker, DRAWN, index=0, width=190)
    elif picker == "of":
        _token_picker()
    elif picker == "over":
        _over_picker()
    elif picker == "combine":
        _named_choice(st.segmented_control, picker, combined.HOW, default="head", required=True)
    elif picker == "shift":
        _named_choice(st.segmented_control, picker, SHIFTS, default=session.opening(name)[picker], required=True)
    elif picker in ("words", "special"):
        st.toggle(say(f"app.{picker}"), key=picker, help=say(f"app.{picker}.help"), bind="query-params")
    else:
        options, opening = _options(name)[picker], session.opening(name)[picker]
        st.segmented_control(
            say(f"app.{picker}"),
            options,
            default=opening if opening in options else options[-1],
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


def _token_labels() -> dict[int, str]:
    """The output tokens to choose from; where there is no translation, there is no choice."""
    try:
        return drawing.step_labels(session.trace().tgt_outputs)
    except HeadlightError:
        return drawing.step_labels(())


def _token_picker() -> None:
    """Which output token gradients are of."""
    labels = _token_labels()
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
    st.multiselect(
        say("app.over"),
        combined.codes(session.view()),
        key="over",
        placeholder=say("combine.everything"),
        help=say("app.over.help"),
        bind="query-params",
        width=260,
    )
