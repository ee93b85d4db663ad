"""Lesson 9: encoder and decoder at work, and what one wrong token costs."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from model.analysis.lessons.several import unlike
from viz.charts.lesson_charts import bars, cells
from viz.core.answers.lessons import exposed, gone_on, teacher_forced
from viz.core.answers.translations import trace, translation
from viz.core.choice import say
from viz.core.numbers import number
from viz.core.session import Session
from viz.views.lessons.lesson import FILLED_LAST, Lesson, Values, count, tiny
from viz.widgets.chart import draw, lead

_MOST = 10  # steps that the staircase has room for


def picture(now: Session) -> Values:
    """Every decoder layer reading the memory at one step, and a wrong token's cost."""
    left, right = st.columns(2, gap="medium")
    with left:
        values = _reading(now)
    with right:
        return values | _exposure(now)


def more(now: Session) -> Values:
    """The staircase of what each step reads and writes in training, and shapes where both sides are unlike."""
    found = trace(now.subject)
    read, wanted = ([label.text for label in labels] for labels in (found.tgt_inputs, found.tgt_outputs))
    shown = min(_MOST, len(read))
    texts = [[*read[: row + 1], *["[MASK]"] * (shown - row - 1)] for row in range(shown)]
    filled = np.tri(shown)
    rows = [f"{row + 1} → {wanted[row]}" for row in range(shown)]
    columns = [str(place) for place in range(shown)]
    log_p = translation(now.subject).log_probs
    apart = unlike(64, 12, 10, 300, 6)
    values: Values = {
        "shown": shown,
        "ntokens": len(log_p),
        "nats": number(-sum(log_p)),
        "each": number(-sum(log_p) / len(log_p)),
        "first": " ".join(read[:3]),
        "shifted": " ".join(wanted[:3]),
        "last": wanted[-1],
        "asks": str([found.cross.shape[1], len(read), now.model.facts.d_head]),
        "between": str(list(found.cross.shape[1:])),
        "document_weights": str(list(apart["weights"])),
        "document_out": str(list(apart["out"])),
    }
    figure = cells(filled, rows, columns, texts=texts, limits=(0, 1.3), most_height=230)
    draw(figure, "lesson.9.staircase", **values)
    return values


def _reading(now: Session) -> Values:
    """Which part of the memory each decoder layer's values come from at a step."""
    found = trace(now.subject)
    step = count(9, "step", 1, len(found.tgt_outputs), 3) - 1
    weights = found.cross[:, :, step].mean(axis=1)
    rows = [f"L{layer}" for layer in range(len(weights))]
    _, feeds = teacher_forced(now.subject)
    n_heads, length, size = feeds.shape
    values: Values = {
        "step": step + 1,
        "read": found.tgt_inputs[step].text,
        "write": found.tgt_outputs[step].text,
        "layers": len(rows),
        "memory": f"[{length}, {feeds.width}]",
        "keys": f"[{n_heads}, {length}, {size}]",
        "error": tiny(feeds.error),
    }
    texts = [[number(100 * value, 0) for value in row] for row in weights]
    columns = [label.text for label in found.src]
    figure = cells(weights, rows, columns, texts=texts, width=455)
    draw(figure, "lesson.9.memory", **values)
    return values


def _exposure(now: Session) -> Values:
    """Probabilities of the written tokens after the right and after a wrong token."""
    found = translation(now.subject)
    place = count(9, "wrong", 1, len(found.tgt), 1) - 1
    seen = exposed(now.subject, place)
    tokens = [label.text for label in found.trace.tgt_outputs][: len(seen.right)]
    later = slice(place + 1, None)
    values: Values = {
        "place": place + 1,
        "token": tokens[place],
        "other": now.model.opened.piece(seen.other),
        "chance": number(float(seen.chance)),
        "right": number(float(seen.right[later].mean())),
        "wrong": number(float(seen.wrong[later].mean())),
    }
    series = {say("lesson.9.right"): seen.right, say("lesson.9.wrong_token"): seen.wrong}
    figure = bars(tokens, series, say("lesson.9.probability"), height=230, limits=(0, 1.12))
    draw(figure, "lesson.9.exposure", **values)
    values[FILLED_LAST] = st.container(), partial(_goes_on, now, place)
    return values


def _goes_on(now: Session, place: int) -> None:
    """What the model writes by itself after the wrong token: a decoding, step by step."""
    lead("lesson.9.goes_on", own=gone_on(now.subject, place))


LESSON = Lesson(
    formula=r"K_l = M W_K^{(l)}, \quad V_l = M W_V^{(l)}, \qquad M = \mathrm{Encoder}(x), \qquad "
    r"p(y \mid x) = \prod_t p(y_t \mid y_{<t}, M)",
    picture=picture,
    more=more,
    views=("step_by_step", "fork", "beam"),
    own=True,
)
