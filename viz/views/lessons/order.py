"""Lesson 5: positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from model.analysis.lessons import positions
from model.analysis.lessons.positions import binary
from viz.charts.layout import base_layout, level_legend, number_axis
from viz.charts.lesson_charts import bars, cells
from viz.charts.plain_shapes import curves
from viz.core.answers.lessons import moved_by_order, table_facts
from viz.core.answers.translations import trace, translation
from viz.core.choice import say
from viz.core.numbers import number
from viz.core.session import Session
from viz.core.theme import Theme, head_colour
from viz.views.lessons.lesson import Lesson, Values, count, tiny
from viz.widgets.chart import draw, lead
from viz.widgets.picker import pick

_COUNTED, _BITS = 16, 4
_CURVES = range(4, 8)
_MATRIX = (200, 150)  # positions and dimensions of the picture that people know
_WIDTH_OF_CURVES = 20  # d_model of the Annotated Transformer's dimensions 4 to 7


def picture(now: Session) -> Values:
    """Shuffled words beside counting in binary and in waves."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        values = _shuffle(now)
    with right:
        _counting(positions.position_table(now.model.opened))
    return values


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
        "tokens": len(tokens),
        "step": number(1 / len(tokens)),
        "of_five": number(4 / 5),
        "of_twenty": number(16 / 20),
    }
    series = {say("lesson.5.with"): positioned, say("lesson.5.without"): bare}
    top = max(1.0, 1.2 * float(positioned.max()))
    figure = bars(tokens, series, say("lesson.5.moved"), width=520, height=165, limits=(0, top))
    draw(figure, "lesson.5.shuffle", **values)
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
    figure = cells(both, rows, columns, texts=texts, limits=(-1, 1), most_height=224, width=370)
    draw(figure, "lesson.5.counting", bits=_BITS, places=_COUNTED)


def more(now: Session) -> Values:
    """The chosen picture of the table, and what makes it a good one."""
    table, facts = positions.position_table(now.model.opened), table_facts(now.checkpoint)
    waves, cosines = positions.wavelengths(table.shape[1]), positions.similarity(table)[0]
    rises = int(np.argmax(np.diff(cosines) > 0))
    values: Values = {
        "positions": len(table),
        "last": len(table) - 1,
        "largest": number(facts.largest),
        "nearest": number(facts.nearest),
        "spread": tiny(facts.spread),
        "shift": tiny(facts.shift_error),
        "shortest": number(float(waves[0])),
        "longest": f"{waves[-1]:,.0f}",
        "never": f"{10_000 * 2 * np.pi:,.0f}",
        "rises": rises,
        "far": number(float(cosines[-1])),
        "far_place": len(table) - 1,
    }
    _PICTURES[pick("show", labelled=False)](now, table, values)
    return values


def _curves(_now: Session, table: np.ndarray, _values: Values) -> None:
    """Dimensions 4 to 7 of the model's table, and of one as wide as the documents'."""
    span = count(5, "span", 10, len(table), 60)
    shown = {"curves": table, "curves_narrow": positions.table_of(span, _WIDTH_OF_CURVES)}
    for column, (name, made) in zip(st.columns(2, gap="medium"), shown.items(), strict=True):
        waves = {f"{say('lesson.5.dimension')} {each}": made[:span, each] for each in _CURVES}
        periods = positions.wavelengths(made.shape[1])
        values = {"d": made.shape[1], "one": number(float(periods[2]), 1), "two": number(float(periods[3]), 1)}
        with column:
            axes = (say("lesson.5.position"), say("lesson.5.value"))
            draw(curves(np.arange(span), waves, axes, height=145), f"lesson.5.{name}", span=span, **values)


def _matrix(_now: Session, table: np.ndarray, _values: Values) -> None:
    """The table's corner, and the documents' own table with its dimensions down."""
    shown = {"matrix": table[: _MATRIX[0], : _MATRIX[1]], "matrix_own": positions.table_of(*_MATRIX).T}
    for column, (name, made) in zip(st.columns(2, gap="medium"), shown.items(), strict=True):
        with column:
            rows, columns = ([str(place) if place % 25 == 0 else "" for place in range(side)] for side in made.shape)
            figure = cells(made, rows, columns, limits=(-1, 1), most_height=210, width=450)
            draw(figure, f"lesson.5.{name}", rows=made.shape[0], columns=made.shape[1])


def _likeness(now: Session, table: np.ndarray, values: Values) -> None:
    """How alike the places of the sentence's tokens are, and any two by their distance."""
    tokens = [label.text for label in trace(now.subject).src]
    cosines = positions.similarity(table)
    left, right = st.columns(2, gap="medium")
    with left:
        near = cosines[: len(tokens), : len(tokens)]
        texts = [[number(value) for value in row] for row in near]
        figure = cells(near, tokens, tokens, texts=texts, limits=(-1, 1), most_height=210, width=450)
        draw(figure, "lesson.5.alike", least=number(float(near.min())))
    with right:
        axes = (say("lesson.5.distance"), say("lesson.5.cosine"))
        draw(curves(np.arange(len(table)), {axes[1]: cosines[0]}, axes, height=230), "lesson.5.apart", **values)


def _rotation(now: Session, table: np.ndarray, _values: Values) -> None:
    """PE(t + φ) = M · PE(t), with the same M for every t."""
    left, right = st.columns([3, 2], gap="large")
    with right:
        offset = count(5, "phi", 0, min(100, len(table) - 2), 3)
        pair = count(5, "pair", 0, table.shape[1] // 2 - 1, 2)
        shift = positions.shift(table, offset, pair)
        st.latex(positions.block_formula(shift.block))
        error = tiny(shift.max_error, 1)
        lead("lesson.5.block", pair=pair, angle=f"{shift.angle:.3f}", error=error, count=len(shift.before))
    with left:
        steps = positions.round_the_circle(table, offset, pair)
        figure = circle(shift, steps, now.theme)
        draw(figure, "lesson.5.rotation", offset=offset, first=2 * pair, second=2 * pair + 1)


def circle(shift: positions.Shift, steps: list[int], theme: Theme) -> go.Figure:
    """One sine-cosine pair at several t, a colour each: PE(t), PE(t + φ) from the table, and M · PE(t) computed."""
    colours = [head_colour(place) for place in range(len(steps))]
    looks = {"before": ("circle", 14), "after": ("circle-open", 22), "turned": ("diamond", 10)}
    data: list[dict[str, object]] = [
        {
            "type": "scatter",
            "mode": "markers+text" if name == "before" else "markers",
            "x": getattr(shift, name)[steps, 1],
            "y": getattr(shift, name)[steps, 0],
            "text": [f"t = {step}" for step in steps],
            "textposition": "top center",
            "name": say(f"lesson.5.{name}"),
            "marker": {"symbol": symbol, "size": size, "color": colours, "line": {"width": 3}},
            "hovertemplate": "%{text}: (%{y:.5f}, %{x:.5f})",
        }
        for name, (symbol, size) in looks.items()
    ]
    span = {"range": [-1.35, 1.35], "dtick": 0.5, "constrain": "domain"}
    layout = base_layout(
        theme,
        height=320,
        xaxis=number_axis(theme, say("lesson.5.cosines"), **span),
        yaxis=number_axis(theme, say("lesson.5.sines"), **span, scaleanchor="x"),
        legend=level_legend(x=0.5, xanchor="center"),
        margin={"l": 64, "r": 16, "t": 64, "b": 52},
    )
    return go.Figure({"data": data, "layout": layout})


_PICTURES: Mapping[str, Callable[[Session, np.ndarray, Values], None]] = {
    "curves": _curves,
    "matrix": _matrix,
    "similarity": _likeness,
    "rotation": _rotation,
}

LESSON = Lesson(
    formula=r"PE_{(t,\,2i)} = \sin\!\left(t / 10000^{2i/d}\right), \qquad PE_{(t,\,2i+1)} = "
    r"\cos\!\left(t / 10000^{2i/d}\right), \qquad "
    r"\sin \omega(t + \varphi) = \cos \omega\varphi\, \sin \omega t + \sin \omega\varphi\, \cos \omega t",
    picture=picture,
    more=more,
    views=("swap",),
    own=True,
)
