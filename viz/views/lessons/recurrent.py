"""Lesson 15: an RNN and an LSTM beside attention."""

from __future__ import annotations

from math import ceil

import numpy as np
import streamlit as st

from model.analysis.lessons.recurrent import EVERY, FAR, LENGTHS, LETTERS, READERS, STEPS, WIDTH
from viz.charts.plain_shapes import curves
from viz.core.answers.lessons import race, reaches
from viz.core.choice import say
from viz.core.session import Session
from viz.core.views import EVERY_FORM
from viz.views.lessons.lesson import Lesson, Values, is_locked, tiny
from viz.widgets.chart import draw

_FLOOR = 1e-8
_KERNEL = 3


def picture(_now: Session) -> Values:
    """What three tiny readers learn when they are trained at once, and how far their gradients reach before it."""
    left, right = st.columns(2, gap="medium")
    with left:
        values = _race()
    with right:
        return values | _reach()


def _race() -> Values:
    """Share of new strings whose first letter is named, as training goes on."""
    label, held = say("lesson.15.length"), is_locked("l15_length")
    length = st.select_slider(label, LENGTHS, LENGTHS[1], key="l15_length", bind="query-params", disabled=held)
    found = race(length)
    series = {say(f"lesson.15.{reader}"): found.right[reader] for reader in READERS}
    values: Values = {
        "length": length,
        "letters": LETTERS,
        "steps": STEPS,
        "width": WIDTH,
        "chance": f"{1 / LETTERS:.0%}",
    }
    values |= {reader: f"{found.right[reader][-1]:.0%}" for reader in READERS}
    half = np.flatnonzero(found.right["attention"] > 0.5)
    values["half"] = int(found.steps[half[0]]) if half.size else "–"
    values |= {
        "every": EVERY,
        "numbers": length * WIDTH,
        "layers": ceil((length - 1) / (_KERNEL - 1)),
        "kernel": _KERNEL,
    }
    axes = (say("training.step"), say("lesson.15.right"))
    draw(curves(found.steps, series, axes, height=240, least=0.0), "lesson.15.race", **values)
    return values


def _reach() -> Values:
    """Gradient of the last output in each letter read, in powers of ten."""
    found = reaches()
    back = np.arange(FAR)[::-1]
    series = {say(f"lesson.15.{reader}"): np.log10(np.maximum(found[reader], _FLOOR))[::-1] for reader in READERS}
    values: Values = {f"{reader}_far": tiny(float(found[reader][0]), 1) for reader in READERS}
    values |= {"far": FAR, "distance": FAR - 1}
    axes = (say("lesson.15.back"), say("lesson.15.gradient"))
    draw(curves(back[::-1], series, axes, height=300), "lesson.15.reach", **values)
    return values


LESSON = Lesson(
    formula=r"h_t = \tanh(W x_t + U h_{t-1} + b), \qquad \frac{\partial h_T}{\partial x_1} = "
    r"\left(\prod_{t=2}^{T} \frac{\partial h_t}{\partial h_{t-1}}\right) \frac{\partial h_1}{\partial x_1}, \qquad "
    r"a_T = \sum_t w_t v_t",
    picture=picture,
    views=("train_here", "one_head"),
    sentence=False,
    reads=EVERY_FORM,
)
