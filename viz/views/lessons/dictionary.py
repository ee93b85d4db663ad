"""Lesson 1: attention as a soft dictionary."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.analysis.lessons import scaling
from viz.charts.lesson_charts import bars
from viz.core.answers.translations import trace
from viz.core.choice import say
from viz.core.numbers import number
from viz.core.session import Session, chosen_token
from viz.views.lessons.lesson import Lesson, Values, count, dial
from viz.widgets import map_choice
from viz.widgets.chart import draw


def picture(now: Session) -> Values:
    """The query over three fruits and chairs, then a real head's."""
    asked, real = st.columns(2, gap="medium")
    with asked:
        first = _fruit(now)
    with real:
        return first | _head(now)


def _fruit(now: Session) -> Values:
    """Weights and result of the query that the sliders make."""
    start = scaling.FRUIT
    fruit, furniture = st.columns(2)
    with fruit:
        first = dial(1, "fruit", -4, 4, start[0])
    with furniture:
        second = dial(1, "furniture", -4, 4, start[1])
    query = np.array([first, second])
    found = scaling.look_up(query)
    names = [say(f"lesson.1.{word}", value=number(value, 0)) for word, value in _pairs()]
    opening = scaling.look_up(np.array(scaling.FRUIT))
    values: Values = {"sum": _sum(found), "result": number(float(found.result)), "opening": _sum(opening)}
    figure = bars(names, {say("lesson.weight"): found.weights}, say("lesson.weight"), limits=(0, 1.12))
    draw(figure, "lesson.1.soft", **values)
    keys = dict(zip(("apple", "banana", "stool"), map(_pair, scaling.ENTRY_KEYS), strict=True))
    even, chair = (float(scaling.look_up(np.array(query)).result) for query in ((0, 0), (0, 4)))
    return values | keys | {"even": number(even), "chair": number(chair, 3), "eight": number(float(opening.result))}


def _sum(found: scaling.Lookup) -> str:
    """The weighted sum, spelt out."""
    pairs = zip(found.weights, scaling.ENTRY_VALUES, strict=True)
    return " + ".join(f"{number(weight)}·{number(value, 0)}" for weight, value in pairs)


def _pair(key: np.ndarray) -> str:
    """A key's two numbers."""
    return "({}, {})".format(*(number(value, 0 if value == round(value) else 2) for value in key))


def _pairs() -> list[tuple[str, float]]:
    return list(zip(scaling.ENTRIES, scaling.ENTRY_VALUES, strict=True))


def _head(now: Session) -> Values:
    """One query of the chosen head over the sentence's own keys."""
    found = trace(now.subject)
    columns, writes = found.axis_tokens(now.kind)[1], now.kind == "cross"
    rows = [label.text for label in map_choice.rows_of(found, now.kind, "written")]
    looked_at = chosen_token(len(rows)) if writes else None
    row = count(1, "row", 0, len(rows) - 1, min(3, len(rows) - 1) if looked_at is None else looked_at)
    weights = found.map(*now.head)[row]
    best = int(weights.argmax())
    values: Values = {
        "query": say("lesson.1.query.writes" if writes else "lesson.1.query", token=rows[row]),
        "best": columns[best],
        "most": number(float(weights[best])),
        "total": number(float(weights.sum())),
        "d_head": now.model.facts.d_head,
        "kind": say(f"kind.{now.kind}"),
        "place": now.head.title,
    }
    figure = bars(columns, {say("lesson.weight"): weights}, say("lesson.weight"), limits=(0, 1.12))
    draw(figure, "lesson.1.head", **values)
    return values


LESSON = Lesson(
    formula=r"r = \sum_i w_i v_i, \qquad w_i = \frac{e^{q \cdot k_i}}{\sum_j e^{q \cdot k_j}}",
    picture=picture,
    views=("one_head", "inside"),
    pickers=("kind", "layer", "head"),
)
