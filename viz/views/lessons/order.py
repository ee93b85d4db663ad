"""Lesson 5: positions."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.analysis.lessons.order import binary
from model.analysis.lessons.positions import position_table
from viz.charts.curves import curves
from viz.charts.lesson_charts import bars, cells
from viz.charts.positions import PositionText
from viz.core.answers.lessons import moved_by_order, table_facts
from viz.core.answers.translations import translation
from viz.core.language import say
from viz.core.numbers import number
from viz.core.session import Session
from viz.views.lessons.lesson import Lesson, Values, count, tiny
from viz.widgets.chart import draw

_COUNTED, _BITS = 16, 4
_CURVES = range(4, 8)
_MATRIX = (200, 150)


def picture(now: Session) -> Values:
    """Shuffled words; counting in binary and in waves; the waves themselves and the table."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        values = _shuffle(now)
    table = position_table(now.model.opened)
    with right:
        _counting(table)
    left, right = st.columns(2, gap="medium")
    words = PositionText.said_by(say)
    with left:
        span = count(5, "span", 10, len(table), 60)
        waves = {f"{words.dimension} {dimension}": table[:span, dimension] for dimension in _CURVES}
        draw(curves(np.arange(span), waves, (words.position, words.value), height=215), "lesson.5.curves", span=span)
    with right:
        shown = table[: _MATRIX[0], : _MATRIX[1]]
        rows, columns = ([str(place) if place % 25 == 0 else "" for place in range(side)] for side in shown.shape)
        matrix = cells(shown, rows, columns, axis=words.position, limits=(-1, 1), most_height=230, width=450)
        draw(matrix, "lesson.5.matrix", positions=shown.shape[0], dimensions=shown.shape[1])
    facts = table_facts(now.checkpoint)
    return values | {
        "positions": len(table),
        "last": len(table) - 1,
        "largest": number(facts.largest),
        "nearest": number(facts.nearest),
        "spread": tiny(facts.spread),
        "shift": tiny(facts.shift_error),
    }


def _shuffle(now: Session) -> Values:
    """How far each token's encoding moves when the words are shuffled."""
    seed = count(5, "order", 0, 20, 1)
    order, positioned, bare = moved_by_order(now.subject, seed)
    src = translation(now.subject).src
    tokens = [*(label.text for label in src), translation(now.subject).trace.src[-1].text]
    values: Values = {
        "text": " ".join(src[place].text for place in order),
        "moved": number(float(positioned.max())),
        "bare": tiny(float(bare.max())),
    }
    series = {say("lesson.5.with"): positioned, say("lesson.5.without"): bare}
    top = max(1.0, 1.2 * float(positioned.max()))
    draw(
        bars(tokens, series, say("lesson.5.moved"), width=520, height=190, limits=(0, top)),
        "lesson.5.shuffle",
        **values,
    )
    return values


def _counting(table: np.ndarray) -> None:
    """Places in binary beside waves each of which is about twice as slow as the last."""
    twice = table.shape[1] * np.log(2) / np.log(10_000)  # dimensions from one wave to one of half its frequency
    chosen = [2 * round(bit * twice / 2) for bit in range(_BITS)]
    digits, gap = binary(_COUNTED, _BITS), np.full((_COUNTED, 1), np.nan)
    both = np.hstack([2.0 * digits - 1, gap, table[:_COUNTED, chosen]])
    columns = [*(str(2**bit) for bit in range(_BITS)), "", *(f"PE {dimension}" for dimension in chosen)]
    rows = [str(place) for place in range(_COUNTED)]
    texts = [[*map(str, row), *[""] * (_BITS + 1)] for row in digits]
    figure = cells(both, rows, columns, texts=texts, limits=(-1, 1), most_height=260, width=370)
    draw(figure, "lesson.5.counting", bits=_BITS, places=_COUNTED)


LESSON = Lesson(
    formula=r"PE_{(t,\,2i)} = \sin\!\left(t / 10000^{2i/d}\right), \qquad PE_{(t,\,2i+1)} = "
    r"\cos\!\left(t / 10000^{2i/d}\right)",
    picture=picture,
    views=("positions", "swap"),
    own=True,
)
