"""Lesson 8: data in batches."""

from __future__ import annotations

import streamlit as st

from model.analysis.lessons import learning
from model.analysis.lessons.masks import opening_batch, sentences_of
from model.analysis.lessons.vectors import OTHER_SCRIPT
from model.errors import JUDGED_AT_ONCE
from viz.charts.lesson_charts import cells
from viz.core.answers.lessons import known_translations, scripts_known
from viz.core.choice import say
from viz.core.models import own_translator
from viz.core.numbers import number
from viz.core.session import Session
from viz.views.lessons.lesson import Lesson, Values, count
from viz.widgets.chart import draw, lead


def picture(now: Session) -> Values:
    """The visitor's lines in batches."""
    left, right = st.columns([2, 3], gap="medium")
    with left:
        st.session_state.setdefault("l8_lines", _opening(now))
        st.text_area(say("lesson.8.lines"), key="l8_lines", height=175, bind="query-params")
        lead(f"lesson.8.{'letters' if now.model.by_letter else 'words'}", **_sizes(now))
    with right:
        values = _batches(now, sentences_of(st.session_state["l8_lines"]))
    old, new = scripts_known(now.checkpoint)
    trained = now.model.meta.get("training", {}).get("batch_tokens", 0)
    values |= {"trained": f"{trained:,}", "judged": JUDGED_AT_ONCE}
    return values | {"old": old, "new": new, "characters": OTHER_SCRIPT[::2][:3]}


def _sizes(now: Session) -> Values:
    """The sizes in the checkpoint's config.json."""
    sizes = now.model.config
    names = ("src_vocab_size", "tgt_vocab_size", "n_encoder_layers", "n_decoder_layers", "n_heads", "d_model", "d_ff")
    return {name: f"{sizes[name]:,}" for name in names}


def _opening(now: Session) -> str:
    """The examples in an order that makes bad batches: long and short by turns."""
    by_length = sorted(now.model.examples, key=len)[:6]
    half = len(by_length) // 2
    turns = [line for pair in zip(by_length[:half], by_length[half:], strict=False) for line in pair]
    return "\n".join(turns) or opening_batch(by_length)


def _batches(now: Session, lines: list[str]) -> Values:
    """Tables of both ways to put lines together."""
    size = count(8, "size", 1, max(2, len(lines)), 2)
    ids = learning.encoded(own_translator(now.checkpoint), lines)
    typed = learning.as_typed(ids, size)
    room = max(len(batch) * max(batch) for batch in typed.lengths)
    ways = {"typed": typed, "buckets": learning.by_length(ids, room)}
    values: Values = {"lines": len(lines), "size": size, "room": room}
    for column, (name, made) in zip(st.columns(2), ways.items(), strict=True):
        filled = learning.picture(made)
        rows = [f"{batch + 1} · {row + 1}" for batch, rows in enumerate(made.rows) for row in rows]
        columns = [str(place) if place % 5 == 0 else "" for place in range(filled.shape[1])]
        values |= {name: number(100 * made.padding, 0), f"{name}_cells": made.cells, f"{name}_n": len(made.rows)}
        with column:
            figure = cells(
                filled,
                rows,
                columns,
                limits=(0, 1.3),
                axis=say("lesson.8.row"),
                most_height=240,
                width=290,
            )
            draw(figure, f"lesson.8.{name}", **values)
    return values


def more(now: Session) -> Values:
    """Pairs that no training saw, with what the model writes."""
    heads = [say(f"lesson.8.{name}") for name in ("source", "reference", "output")]
    found = known_translations(now.checkpoint)
    st.table([dict(zip(heads, each, strict=True)) for each in found], hide_index=True, border="horizontal")
    return {}


LESSON = Lesson(
    formula=r"\rho = 1 - \frac{\sum_i n_i}{\sum_{b} |b| \cdot \max_{i \in b} n_i}",
    picture=picture,
    more=more,
    views=("about",),
    sentence=False,
    own=True,
)
