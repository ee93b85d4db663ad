"""Lesson 2: self-attention in six steps, why queries and keys differ, and why scores are divided by √d_k."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.analysis.lessons import scaling
from viz.charts.lesson_charts import bars, cells
from viz.core.answers.lessons import growth, variants
from viz.core.answers.translations import trace
from viz.core.language import say
from viz.core.numbers import number
from viz.core.session import Session
from viz.views.lessons.lesson import Lesson, Values, count, dial
from viz.widgets.chart import draw

_WIDTH = 310  # pixels of a map beside two others


def picture(now: Session) -> Values:
    """The chosen head in three variants, then the softmax of [a, a, 2a]."""
    values = _maps(now)
    left, right = st.columns([1, 2], gap="medium", vertical_alignment="center")
    with left:
        a, d_k = dial(2, "a", 0, 30, 8, 0.5), count(2, "size", 1, 512, 64)
    steep = scaling.saturation(np.array([a]), d_k)
    names = ["a", "a", "2a"]
    said: Values = {
        "a": number(a, 1),
        "d_k": d_k,
        "plain": number(float(steep.weights[0][0, 2]), 3),
        "divided": number(float(steep.weights[1][0, 2]), 3),
        "plain_slope": f"{steep.gradient[0][0]:.2g}",
        "divided_slope": f"{steep.gradient[1][0]:.2g}",
    }
    series = {say("inside.plain"): steep.weights[0][0], say("inside.divided"): steep.weights[1][0]}
    with right:
        figure = bars(names, series, say("lesson.weight"), width=500, height=180, limits=(0, 1.15))
        draw(figure, "lesson.2.steep", **said)
    return values | said | _variance()


def _maps(now: Session) -> Values:
    """The head's weights; with its keys asking; and without the division."""
    head = now.head._replace(kind="encoder_self")
    found = variants(now.subject, head)
    rows, columns = trace(now.subject).axis_tokens(head.kind)
    shown = {"own": found.own, "shared": found.shared, "undivided": found.undivided}
    for column, (name, weights) in zip(st.columns(3), shown.items(), strict=True):
        with column:
            figure = cells(weights, rows, columns, limits=(0, 1), most_height=220, width=_WIDTH)
            largest = number(float(weights.max(axis=-1).mean()))
            draw(figure, f"lesson.2.{name}", largest=largest, place=head.title)
    own, shared = found.symmetry
    return {
        "place": f"{say('kind.encoder_self')} {head.title}",
        "asymmetry": number(own),
        "symmetry": number(shared),
        "variance": number(found.variance[0]),
        "divided_variance": number(found.variance[1]),
    }


def _variance() -> Values:
    """The variance of random dot products at the largest size tried."""
    grown = growth()
    plain, divided = (float(curve[-1]) for curve in grown.variance)
    return {"random_size": int(grown.sizes[-1]), "random": number(plain, 0), "random_divided": number(divided)}


LESSON = Lesson(
    formula=r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}} + M\right) V, \qquad "
    r"Q = X W_Q,\; K = X W_K,\; V = X W_V",
    picture=picture,
    views=("inside",),
    pickers=("layer", "head"),
    needs=frozenset({"encoder_self", "internals", "scores", "projections"}),
)
