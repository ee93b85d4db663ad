"""Lesson 4: masks, and what happens without them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import streamlit as st

from model.analysis.lessons.masks import causal, row_steps, triu, under_triu
from viz.charts.lesson_charts import bars, cells
from viz.core.answers.lessons import leak, masked_batch
from viz.core.answers.translations import trace
from viz.core.choice import say
from viz.core.numbers import cell_number, number
from viz.core.session import Session
from viz.views.lessons.lesson import Lesson, Values, count, tiny
from viz.widgets.chart import draw
from viz.widgets.picker import pick

_SIZE = 20  # of the Annotated Transformer's subsequent_mask
_SEEN = (0.0, 1.3)  # the scale's ends of cells that are 1 where a key may be seen


def picture(now: Session) -> Values:
    """np.triu over a real head's scores."""
    mask, head = st.columns(2, gap="medium")
    with mask:
        values, k = _triu()
    with head:
        return values | _head(now, k)


def _triu() -> tuple[Values, int]:
    """The picture of the mask that the slider makes."""
    k = count(4, "k", -1, 1, 1)
    made = triu(_SIZE, k)
    columns = [str(place) for place in range(_SIZE)]
    rows = [f"{name} · NaN" if place in made.blind else name for place, name in enumerate(columns)]
    figure = cells(np.where(made.ones == 0, 0.75, 0.0), rows, columns, limits=(0, 1), most_height=220, width=450)
    sixteen = np.triu(np.arange(1, 17).reshape(4, 4), k)
    values: Values = {
        "k": number(k, 0),
        "size": _SIZE,
        "seen": int((made.ones == 0).sum()),
        "blind": len(made.blind),
        "kept": ", ".join(map(str, sixteen[sixteen > 0])),
        "own": say("lesson.4.own") if made.is_causal else "",
        "allowed": int(causal(_SIZE).sum()),
        "cells": _SIZE * _SIZE,
    }
    draw(figure, "lesson.4.triu", **values)
    return values, k


def _head(now: Session, k: int) -> Values:
    """The weights that a head of the decoder would have under this mask."""
    found = trace(now.subject)
    rows, columns = found.axis_tokens("decoder_self")
    scores = found.scores["decoder_self"][now.head.layer, now.head.head]
    weights = under_triu(scores, k)
    lost = np.isnan(weights).any(axis=1)
    names = [f"{row} · NaN" if nothing else row for row, nothing in zip(rows, lost, strict=True)]
    figure = cells(weights, names, columns, limits=(0, 1), most_height=220, width=450)
    values: Values = {"place": now.head.title, "lost": int(lost.sum()), "rows": len(rows)}
    values["even"] = number(float(under_triu(scores, -1, -1e9)[0].max()), 3)
    draw(figure, "lesson.4.head", **values)
    return values


def more(now: Session) -> Values:
    """The chosen one of four pictures of the visitor's own sentence; all lessons' texts need the first's values."""
    shown = pick("mask", labelled=False)
    values = _leak(now, shown == "leak") | _padding(now, shown == "padding")
    if shown in _FURTHER:
        _FURTHER[shown](now)
    return values


def _leak(now: Session, shown: bool) -> Values:
    """How far predictions move when a token that is read changes."""
    found = trace(now.subject)
    last = len(found.tgt_inputs) - 1
    place = count(4, "place", 1, last, min(4, last)) if shown else min(4, last)
    masked, unmasked = leak(now.subject, place)
    values: Values = {
        "token": found.tgt_inputs[place].text,
        "place": place,
        "masked": tiny(float(masked[:place].max())),
        "leaked": number(float(unmasked[:place].max())),
    }
    if shown:
        series = {say("lesson.4.with"): masked, say("lesson.4.without"): unmasked}
        written = [label.text for label in found.tgt_outputs]
        figure = bars(written, series, say("lesson.4.moved"), width=860, height=155, limits=(0, 1.1))
        draw(figure, "lesson.4.leak", **values)
    return values


def _padding(now: Session, shown: bool) -> Values:
    """The padding mask of the sentence and two others, as the encoder gets it."""
    batch = masked_batch(now.subject, target=False)
    rows, columns = batch.padding.shape
    values: Values = {"sentences": rows, "columns": columns, "padded": int((~batch.padding).sum())}
    if shown:
        names = [str(row + 1) for row in range(rows)]
        places = [str(place) for place in range(columns)]
        filled = batch.padding.astype(float)
        draw(cells(filled, names, places, texts=batch.tokens, limits=_SEEN), "lesson.4.padding", **values)
    return values


def _combined(now: Session) -> None:
    """Padding mask & causal mask = what the decoder uses, of one translation of the batch."""
    batch = masked_batch(now.subject, target=True)
    assert batch.combined is not None  # a target batch has it
    padded = 1 + int((~batch.padding).any(axis=1).argmax())
    which = count(4, "which", 1, len(batch.text), padded) - 1
    tokens, both = batch.tokens[which], batch.combined[which]
    masks = {"only_padding": np.broadcast_to(batch.padding[which], both.shape), "causal": causal(len(tokens))}
    for column, (name, mask) in zip(st.columns(3), {**masks, "both": both}.items(), strict=True):
        with column:
            figure = cells(mask.astype(float), tokens, tokens, limits=_SEEN, most_height=300, width=300)
            draw(figure, f"lesson.4.{name}", text=batch.text[which], hidden=int((~mask).sum()))


def _steps(now: Session) -> None:
    """One row's scores, masked scores and weights."""
    rows, columns = trace(now.subject).axis_tokens("decoder_self")
    row = count(4, "row", 0, len(rows) - 1, min(4, len(rows) // 2))
    made = row_steps(trace(now.subject), "decoder_self", now.head.layer, now.head.head, row)
    span = max(float(np.abs(made.scores).max()), 1e-6)
    values: Values = {"token": rows[row], "row": row, "place": now.head.title, "error": tiny(made.error)}
    values["hidden"] = int((made.scores != made.masked).sum())
    for names, limits in ((("scores", "masked"), (-span, span)), (("weights",), (0.0, 1.0))):
        lines = np.stack([getattr(made, name) for name in names])
        texts = [[cell_number(value) for value in line] for line in lines]
        finite = np.where(np.isfinite(lines), lines, np.nan)
        figure = cells(finite, [say(f"lesson.4.{name}") for name in names], columns, texts=texts, limits=limits)
        draw(figure, f"lesson.4.row_{names[0]}", **values)


_FURTHER: Mapping[str, Callable[[Session], None]] = {"combined": _combined, "steps": _steps}

LESSON = Lesson(
    formula=r"w = \mathrm{softmax}(s + m), \qquad m_{ij} = \begin{cases} 0 & j \le i,\; x_j \ne \texttt{<pad>} \\ "
    r"-\infty & \end{cases} \qquad e^{-\infty} = 0",
    picture=picture,
    more=more,
    views=("inside", "step_by_step"),
    pickers=("layer", "head"),
    own=True,
)
