"""Lesson 4: masks, and what happens without them."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.analysis.lessons.masks import causal, source_batch, triu
from model.analysis.lessons.unmasked import under_triu
from viz.charts.lesson_charts import bars, cells
from viz.core.answers.lessons import batch_of, leak
from viz.core.answers.translations import trace
from viz.core.language import say
from viz.core.models import own_translator
from viz.core.numbers import number
from viz.core.session import Session
from viz.views.lessons.lesson import Lesson, Values, count, tiny
from viz.widgets.chart import draw

_SIZE = 20  # of the Annotated Transformer's subsequent_mask


def picture(now: Session) -> Values:
    """np.triu over a real head's scores, then the leak without the mask."""
    mask, head = st.columns(2, gap="medium")
    with mask:
        values, k = _triu()
    with head:
        values |= _head(now, k)
    return values | _leak(now) | _counts(now)


def _triu() -> tuple[Values, int]:
    """The picture of the mask that the slider makes."""
    k = count(4, "k", -1, 1, 1)
    made = triu(_SIZE, k)
    columns = [str(place) for place in range(_SIZE)]
    rows = [f"{name} · NaN" if place in made.blind else name for place, name in enumerate(columns)]
    figure = cells(np.where(made.ones == 0, 0.75, 0.0), rows, columns, limits=(0, 1), most_height=300, width=450)
    values: Values = {"k": number(k, 0), "size": _SIZE, "seen": int((made.ones == 0).sum()), "blind": len(made.blind)}
    draw(figure, "lesson.4.triu", **values)
    return values, k


def _head(now: Session, k: int) -> Values:
    """The weights that a head of the decoder would have under this mask."""
    found = trace(now.subject)
    rows, columns = found.axis_tokens("decoder_self")
    weights = under_triu(found.scores["decoder_self"][now.head.layer, now.head.head], k)
    lost = np.isnan(weights).any(axis=1)
    names = [f"{row} · NaN" if nothing else row for row, nothing in zip(rows, lost, strict=True)]
    figure = cells(weights, names, columns, limits=(0, 1), most_height=300, width=450)
    values: Values = {"place": now.head.title, "lost": int(lost.sum()), "rows": len(rows)}
    draw(figure, "lesson.4.head", **values)
    return values


def _leak(now: Session) -> Values:
    """How far predictions move when a token that is read changes."""
    found = trace(now.subject)
    place = count(4, "place", 1, len(found.tgt_inputs) - 1, min(4, len(found.tgt_inputs) - 1))
    masked, unmasked = leak(now.subject, place)
    written = [label.text for label in found.tgt_outputs]
    series = {say("lesson.4.with"): masked, say("lesson.4.without"): unmasked}
    values: Values = {
        "token": found.tgt_inputs[place].text,
        "place": place,
        "masked": tiny(float(masked[:place].max())),
        "leaked": number(float(unmasked[:place].max())),
    }
    figure = bars(written, series, say("lesson.4.moved"), width=860, height=155, limits=(0, 1.1))
    draw(figure, "lesson.4.leak", **values)
    return values


def _counts(now: Session) -> Values:
    """What the masks hide, counted."""
    batch = source_batch(own_translator(now.checkpoint), batch_of(now.subject))
    return {
        "allowed": int(causal(_SIZE).sum()),
        "cells": _SIZE * _SIZE,
        "sentences": len(batch.text),
        "columns": batch.padding.shape[1],
        "padded": int((~batch.padding).sum()),
    }


LESSON = Lesson(
    formula=r"w = \mathrm{softmax}(s + m), \qquad m_{ij} = \begin{cases} 0 & j \le i,\; x_j \ne \texttt{<pad>} \\ "
    r"-\infty & \end{cases} \qquad e^{-\infty} = 0",
    picture=picture,
    views=("masks",),
    pickers=("layer", "head"),
    own=True,
)
