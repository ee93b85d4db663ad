"""Predict first: a lesson's slider stands still until some of its settings were predicted and shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import streamlit as st

from viz.charts.markup import line
from viz.core.choice import say
from viz.views.lessons.lesson import LOCKED, Values

_WAYS = ("rises", "falls", "stays")
_STATE = "_predictions"  # of the session, by lesson
TOGGLE = "predict"  # key of the switch
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
_NUMBER = re.compile(r"-?[\d,]*\.?\d+(?:e[+-]?\d+)?")


class Predicted(NamedTuple):
    """What is predicted in a lesson: how one of its values moves as one of its sliders is set."""

    slider: str  # its key, which is also the name of its text: ``l1_fruit`` is ``lesson.1.fruit``
    settings: tuple[float, ...]  # one after the other
    value: str  # what the lesson's picture calls it; ``lesson.predict.<number>`` is its text


PREDICTED: Mapping[str, Predicted] = {
    "1": Predicted("l1_fruit", (0.0, -4.0), "result"),
    "2": Predicted("l2_a", (16.0, 30.0), "plain_slope"),
    "3": Predicted("l3_heads", (16, 64), "counted"),
    "4": Predicted("l4_k", (0, -1), "blind"),
    "5": Predicted("l5_order", (0, 7), "moved"),
    "6": Predicted("l6_layer", (4, 5), "raw"),
    "7": Predicted("l7_warmup", (4000, 8000), "peak"),
    "8": Predicted("l8_size", (3, 1), "typed"),
    "9": Predicted("l9_wrong", (2, 4), "wrong"),
    "10": Predicted("l10_token", (1, 0, 5), "rows"),
    "11": Predicted("l11_word", (1, 4), "gpt_seen"),
    "13": Predicted("l13_step", (1, 2), "log_p"),
    "14": Predicted("l14_layer", (0, 5), "fires"),
    "15": Predicted("l15_length", (8, 16), "rnn"),
}


def as_number(said: object) -> float | None:
    """A value as pictures give it, as a number; None where it holds none.

    >>> as_number("6.99·10⁻⁴"), as_number("−1.5"), as_number("263,168"), as_number("–")
    (0.000699, -1.5, 263168.0, None)
    """
    plain = str(said).translate(_RAISED).replace("·10", "e").replace("%", "").strip()
    return float(plain.replace(",", "")) if _NUMBER.fullmatch(plain) else None


def way(before: object, after: object) -> str:
    """Which way a value went, as precisely as it is shown."""
    first, second = as_number(before), as_number(after)
    if first is None or second is None or first == second:
        return "stays"
    return "rises" if second > first else "falls"


def lock(number: str) -> None:
    """Before a lesson is drawn: hold its slider where that is predicted first."""
    predicted = PREDICTED.get(number)
    is_held = predicted and st.session_state.get(TOGGLE) and len(_guesses(number)) < len(predicted.settings)
    st.session_state[LOCKED] = predicted.slider if predicted and is_held else ""


def switch(number: str) -> None:
    """Whether the lesson is predicted first; nothing where it has no slider for that."""
    if number in PREDICTED:
        st.toggle(say("lesson.predict"), key=TOGGLE, help=say("lesson.predict.help"))


def _guesses(number: str) -> list[dict[str, object]]:
    known: dict[str, list[dict[str, object]]] = st.session_state.setdefault(_STATE, {})
    return known.setdefault(number, [])


def guess(number: str, said: str, before: object) -> None:
    """Keep a guess, and set the slider; to be called in a widget's callback."""
    guesses, predicted = _guesses(number), PREDICTED[number]
    st.session_state[predicted.slider] = predicted.settings[len(guesses)]
    guesses.append({"said": said, "before": before})


def ask(number: str, values: Values) -> None:
    """Below a lesson's picture: how the last guess came out, and the next setting to predict."""
    predicted = PREDICTED.get(number)
    if predicted is None or not st.session_state.get(TOGGLE):
        return
    guesses, what = _guesses(number), say(f"lesson.predict.{number}")
    slider = say(f"lesson.{number}.{predicted.slider.partition('_')[2]}")
    now = values[predicted.value]
    if guesses:
        last = guesses[-1]
        last.setdefault("after", now)
        went = way(last["before"], last["after"])
        told = {"what": what, "before": last["before"], "after": last["after"], "way": say(f"lesson.predict.{went}")}
        is_right = went == last["said"]
        st.html(
            line("holds" if is_right else "fails", say(f"lesson.predict.{'right' if is_right else 'wrong'}", **told))
        )
    if len(guesses) == len(predicted.settings):
        st.html(line("alt", say("lesson.predict.free", slider=slider)))
        return
    to = predicted.settings[len(guesses)]
    shown = {"slider": slider, "now": _plain(st.session_state.get(predicted.slider)), "to": _plain(to)}
    st.html(line("lead", say("lesson.predict.ask", what=what, value=now, **shown)))
    with st.container(horizontal=True, gap="small"):
        for each in _WAYS:
            label = say(f"lesson.predict.{each}")
            st.button(label, key=f"predict_{each}", on_click=guess, args=(number, each, now))


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)
