"""Lesson 2: self-attention in six steps, why queries and keys differ, and why scores are divided by √d_k."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.analysis.lessons import scaling
from viz.charts.lesson_charts import bars, cells
from viz.core.answers.lessons import growth, variants
from viz.core.answers.translations import trace
from viz.core.choice import say
from viz.core.numbers import number
from viz.core.session import Session
from viz.views.lessons.lesson import Lesson, Values, count, dial
from viz.widgets.chart import draw

_WIDTH = 230  # pixels of a map beside three others


def picture(now: Session) -> Values:
    """The chosen head as it is, and three times with a part of its recipe left out."""
    return _maps(now)


def more(_now: Session) -> Values:
    """The softmax of [a, a, 2a], and its Jacobian written out."""
    left, middle, right = st.columns([3, 5, 4], gap="medium", vertical_alignment="center")
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
    with middle:
        figure = bars(names, series, say("lesson.weight"), width=400, height=180, limits=(0, 1.15))
        draw(figure, "lesson.2.steep", **said)
    with right:
        matrix = scaling.jacobian(steep.weights[1][0])
        texts = [[number(value, 3) for value in row] for row in matrix]
        draw(cells(matrix, names, names, texts=texts, limits=(-0.25, 0.25), width=300), "lesson.2.jacobian", **said)
    return said | _variance() | _others(a)


def _others(a: float) -> Values:
    """Other ways: smaller matrices, a sum in place of the product, and why the last softmax is not divided."""
    scores = np.array([112.0, 96.0])
    weights = scaling.softmax(scores / 8)
    plain, smaller = scaling.initial_variance()
    return {
        "eighths": " and ".join(number(score / 8, 0) for score in scores),
        "shares": " and ".join(number(weight) for weight in weights),
        "untrained": number(plain, 0),
        "smaller": number(smaller),
        "additive": number(scaling.additive_variance(512), 1),
        "output_slope": number(scaling.output_slope(a)),
    }


def _maps(now: Session) -> Values:
    """The head's weights; with its keys asking; without the division; and without any matrix."""
    head = now.head._replace(kind="encoder_self")
    found = variants(now.subject, head)
    rows, columns = trace(now.subject).axis_tokens(head.kind)
    shown = {"own": found.own, "shared": found.shared, "undivided": found.undivided, "bare": found.bare}
    for column, (name, weights) in zip(st.columns(4), shown.items(), strict=True):
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
    more=more,
    views=("inside",),
    pickers=("layer", "head"),
    needs=frozenset({"encoder_self", "internals", "scores", "projections"}),
)
