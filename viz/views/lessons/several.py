"""Lesson 3: several heads."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.analysis.lessons.several import STATIONS, divisors, parameters
from viz.charts.lesson_charts import bars
from viz.core.answers.lessons import alone, shapes
from viz.core.choice import say
from viz.core.numbers import number, signed
from viz.core.session import Session
from viz.views.lessons.lesson import Lesson, Values, is_locked
from viz.widgets.chart import draw, lead


def picture(now: Session) -> Values:
    """Shapes on the real tensors, parameters for any number of heads, and heads alone."""
    left, right = st.columns([5, 6], gap="medium")
    with left:
        values = _shapes(now)
    with right:
        return values | _parameters(now) | _alone(now)


def _shapes(now: Session) -> Values:
    """A table of the shapes at every reshaping."""
    found = shapes(now.subject, now.head.layer)
    batch, length, width = found[0]
    _, _, heads, size = found[2]
    values: Values = {"BS": batch, "ML": length, "ES": width, "HC": heads, "HS": size, "layer": now.head.layer}
    lead("lesson.3.shapes", **values)
    table = [
        {
            say("lesson.3.station"): say(f"lesson.3.{name}"),
            say("lesson.3.letters"): f"[{letters}]",
            say("lesson.3.shape"): str(list(shape)),
        }
        for (name, letters, _, _), shape in zip(STATIONS, found, strict=True)
    ]
    st.table(table, hide_index=True, border="horizontal")
    return values


def _parameters(now: Session) -> Values:
    """What one attention learns, counted for any number of heads."""
    width = now.model.facts.d_model
    options = divisors(width)
    chosen = st.select_slider(
        say("lesson.3.heads"),
        options,
        8 if 8 in options else options[-1],
        key="l3_heads",
        bind="query-params",
        disabled=is_locked("l3_heads"),
    )
    counted = {heads: parameters(width, heads) for heads in options}
    values: Values = {"chosen": chosen, "each": width // chosen, "counted": f"{counted[chosen]:,}"}
    values |= {"least": f"{min(counted.values()):,}", "most": f"{max(counted.values()):,}", "width": width}
    lead("lesson.3.parameters", **values)
    return values


def _alone(now: Session) -> Values:
    """What the translation loses with one head of a layer at work."""
    lost = alone(now.subject, now.kind, now.head.layer)
    names = [*(f"H{head}" for head in range(len(lost) - 1)), say("lesson.3.none")]
    best, worst = int(lost[:-1].argmax()), int(lost[:-1].argmin())
    values: Values = {"kind": say(f"kind.{now.kind}"), "layer": now.head.layer, "none": signed(float(lost[-1]))}
    values |= {"best": best, "best_loss": signed(float(lost[best])), "worst": worst}
    values |= {"worst_loss": signed(float(lost[worst])), "likelihood": number(100 * float(np.exp(lost[best])), 0)}
    figure = bars(names, {say("lesson.3.change"): lost}, say("lesson.3.change"), width=460, height=210)
    draw(figure, "lesson.3.alone", **values)
    return values


LESSON = Lesson(
    formula=r"\mathrm{MultiHead}(X) = [\,\mathrm{head}_1; \dots; \mathrm{head}_h\,]\, W_O, \qquad d_k = d_{model} / h, "
    r"\qquad |\theta| = 4\,(d_{model}^2 + d_{model})",
    picture=picture,
    views=("one_head", "heads", "mixing_desk"),
    pickers=("kind", "layer"),
    own=True,
)
