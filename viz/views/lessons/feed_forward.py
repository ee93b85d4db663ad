"""Lesson 14: the position-wise feed-forward network."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.analysis.lessons.feed_forward import activations
from viz.charts.lesson_charts import bars
from viz.charts.plain_shapes import curves
from viz.core.answers.lessons import firing, without_feed_forward
from viz.core.answers.translations import trace
from viz.core.choice import say
from viz.core.numbers import number, signed
from viz.core.session import Session
from viz.views.lessons.lesson import Lesson, Values, count, tiny
from viz.widgets.chart import draw

_X = np.linspace(-4, 4, 161)


def picture(now: Session) -> Values:
    """How many units fire on each token, and what the translation loses without each layer's network."""
    left, right = st.columns(2, gap="medium")
    with left:
        values = _firing(now)
    with right:
        return values | _without(now)


def _firing(now: Session) -> Values:
    """Share of the hidden units above 0, token by token."""
    layer = count(14, "layer", 0, now.model.facts.anatomy.layers("encoder_self") - 1, 2)
    found = firing(now.subject, layer)
    tokens = [label.text for label in trace(now.subject).src]
    own, attention = found.parameters
    values: Values = {
        "layer": layer,
        "width": found.width,
        "hidden": found.hidden,
        "fires": number(100 * float(found.share.mean()), 1),
        "units": round(float(found.share.mean()) * found.hidden),
        "own": f"{own:,}",
        "attention": f"{attention:,}",
        "part": f"{own / (own + attention):.0%}",
        "moved": tiny(found.moved),
    }
    series = {say("lesson.14.share"): 100 * found.share}
    draw(bars(tokens, series, say("lesson.14.share"), width=450, height=210), "lesson.14.firing", **values)
    return values


def _without(now: Session) -> Values:
    """Change of log p without one layer's network."""
    encoder, decoder = without_feed_forward(now.subject)
    names = [f"{side}{layer}" for side, of in (("E", encoder), ("D", decoder)) for layer in range(len(of))]
    every = np.concatenate([encoder, decoder])
    values: Values = {"worst": names[int(every.argmin())], "lost": signed(float(every.min()))}
    series = {say("lesson.14.change"): every}
    draw(bars(names, series, say("lesson.14.change"), width=450, height=250), "lesson.14.without", **values)
    return values


def more(_now: Session) -> Values:
    """ReLU beside GELU."""
    made = activations(_X)
    at = activations(np.array([-1.0, 1.0]))["GELU"]
    lowest = int(made["GELU"].argmin())
    values: Values = {"minus": number(float(at[0])), "plus": number(float(at[1]))}
    values |= {"least": number(float(made["GELU"][lowest])), "at": number(float(_X[lowest]))}
    draw(curves(_X, made, ("x", "f(x)"), height=230), "lesson.14.curves", **values)
    return values


LESSON = Lesson(
    formula=r"\mathrm{FFN}(x) = \max(0,\; x W_1 + b_1)\, W_2 + b_2, \qquad \mathrm{GELU}(x) = x\, \Phi(x)",
    picture=picture,
    more=more,
    views=("lens", "flow"),
    own=True,
)
