"""Pickers of one option among a few, whose link holds a code that means the same in every language."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextvars import ContextVar
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.core.choice import say
from viz.core.codes.choices import CHOICES


def pick(
    name: str,
    start: str = "",
    labelled: bool = True,
    explained: bool = True,
    as_list: bool = False,
    only: Collection[str] | None = None,
    **more: Any,
) -> str:
    """One of ``CHOICES[name]``, as buttons or as a list.

    Args:
        name: of the choice, and of its place in the link.
        start: what is chosen where nobody chose; the first option where it is "".
        labelled: the visitor sees what is chosen here.
        explained: and what that means.
        as_list: a list to unfold instead of buttons.
        only: the options that there are, where a model does not have all.
        more: goes to the widget.
    """
    choice = CHOICES[name]
    labels = {option: say(f"{choice.key}.{option}") for option in choice.options if only is None or option in only}
    label, explanation = say(choice.label), say(f"{choice.label}.help") if labelled and explained else None
    look = {"label_visibility": "visible" if labelled else "collapsed", "help": explanation, **more}
    if not as_list:
        look["required"] = True
    widget = st.selectbox if as_list else st.segmented_control
    return coded(widget, name, label, labels, start or next(iter(labels)), choice.read, **look)


def coded(
    widget: Any,
    name: str,
    label: str,
    labels: Mapping[str, str],
    start: str,
    read: Callable[[object], str | None],
    **look: Any,
) -> str:
    """A picker, and the box out of sight that holds its code and is bound to the link.

    Streamlit writes into the link what stands on a widget, and that is in the visitor's language; so
    it is the box that is bound, and the picker shows and sets what it holds.

    Args:
        widget: Streamlit's command that draws the picker.
        name: of the box, and of its place in the link.
        label: over the picker.
        labels: what the visitor reads for each code.
        start: the code that stands in no link.
        read: the code that the box means; None where it means none.
        look: goes to the widget.
    """
    state, shown = st.session_state, shown_key(name)
    if name in state and state[name] != (code := _known(read(state[name]), labels, start)):
        state[name] = code
    st.text_input(name, start, key=name, label_visibility="collapsed", bind="query-params")
    code = _known(read(state[name]), labels, start)  # which the link may have changed
    if state.get(shown) != code:
        state[shown] = code
    widget(label, list(labels), format_func=labels.__getitem__, key=shown, on_change=_take, args=(name,), **look)
    return code


def shown_key(name: str) -> str:
    """Key of the picker that the visitor sees for a choice."""
    return f"pick_{name}"


def hide(names: Iterable[str]) -> None:
    """Keep these pickers out of sight."""
    keys = (shown_key(name) if name in CHOICES or name == "of" else name for name in names)
    st.html(f"<style>{', '.join(f'.st-key-{key}' for key in keys) or '.hl-none'} {{ display: none; }}</style>")


def _known(code: str | None, labels: Mapping[str, str], start: str) -> str:
    return code if code is not None and code in labels else start


def _take(name: str) -> None:
    st.session_state[name] = st.session_state[shown_key(name)]


_bar: ContextVar[DeltaGenerator | None] = ContextVar("bar", default=None)


def offer_bar(place: DeltaGenerator) -> None:
    """Let the view of this run use a place on the line; the frame does."""
    _bar.set(place)


def bar() -> DeltaGenerator:
    """The view's place on the line over it; where no frame offers one, a line where it is called."""
    return _bar.get() or st.container(horizontal=True, vertical_alignment="center", gap="small")
