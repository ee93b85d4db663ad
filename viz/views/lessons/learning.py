"""Lesson 7: label smoothing, the learning rate, and the checkpoint's own training."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.analysis.lessons import learning
from viz.charts.lesson_charts import cells
from viz.charts.plain_shapes import TrainingText, curves, training_curves
from viz.core.choice import say
from viz.core.numbers import number
from viz.core.session import Session
from viz.views.lessons.lesson import Lesson, Values, count, dial, tiny
from viz.widgets.chart import draw, draw_row, lead

_CONFIDENCE = np.concatenate([np.linspace(0.05, 0.99, 95), [0.995, 0.999]])
_STEPS = np.arange(1, 20_001, 100)
_PREDICTED = (0.0, 0.2, 0.7, 0.1, 0.0)  # of the Annotated Transformer's example
_WIDTH, _DROPOUT = 256, 0.1  # of the shipped model's matrices, and of its training


def picture(now: Session) -> Values:
    """Smoothed labels beside their loss."""
    left, right = st.columns(2, gap="medium")
    with left:
        smoothing = dial(7, "smoothing", 0, 0.8, learning.SMOOTHING, 0.05)
        values = _labels(smoothing)
    with right:
        values |= _loss(smoothing)
    return values | _rows(smoothing)


def more(now: Session) -> Values:
    """The schedule, and the training log."""
    return _rates() | _log(now)


def _rows(smoothing: float) -> Values:
    """The loss of the rows for a prediction typed by hand, and how training begins."""
    rows = {f"row_{target}": learning.row_loss(target, _PREDICTED, smoothing) for target in (2, 1)}
    hard = {f"hard_{target}": learning.row_loss(target, _PREDICTED, 0.0) for target in (2, 1)}
    values: Values = {name: number(loss) if np.isfinite(loss) else "∞" for name, loss in (rows | hard).items()}
    start = learning.beginning(_WIDTH, _DROPOUT)
    values |= {"bound": number(start.bound, 3), "largest": number(start.largest, 3), "spread": number(start.spread)}
    return values | {"dropped": f"{start.dropped:.0%}", "kept": number(start.kept)}


def _labels(smoothing: float) -> Values:
    """The labels that the loss compares with."""
    table = learning.smoothed(learning.ROW_TARGETS, smoothing)
    texts = [[number(value, 3) for value in row] for row in table]
    rows = [
        say("lesson.7.padding" if target == learning.PADDING else "lesson.7.row", target=target)
        for target in learning.ROW_TARGETS
    ]
    columns = [str(place) for place in range(learning.CLASSES)]
    figure = cells(table, rows, columns, texts=texts, limits=(0, 1), most_height=125, width=450)
    values: Values = {
        "smoothing": number(smoothing),
        "true": number(1 - smoothing),
        "other": number(smoothing / (learning.CLASSES - 2), 3),
    }
    draw(figure, "lesson.7.labels", **values)
    return values


def _loss(smoothing: float) -> Values:
    """Loss and gradient as the true class's probability grows."""
    loss, slope = learning.confidence_loss(_CONFIDENCE, smoothing)
    series = {say("lesson.7.loss"): loss, say("lesson.7.slope"): slope}
    best = float(_CONFIDENCE[loss.argmin()])
    values: Values = {"best": number(best), "sure": number(float(loss[-1])), "sure_slope": number(float(slope[-1]))}
    axes = (say("lesson.7.confidence"), say("lesson.7.nats"))
    draw(curves(_CONFIDENCE, series, axes, height=185, mark=1 - smoothing), "lesson.7.sure", **values)
    return values


def _rates() -> Values:
    """The three published schedules, and the visitor's own."""
    sliders, chart = st.columns([1, 2], gap="medium", vertical_alignment="center")
    with sliders:
        width, warmup = count(7, "width", 64, 1024, 384), count(7, "warmup", 500, 16_000, 2000)
    pairs = (*learning.NOAM, (width, warmup))
    series = {f"{d}:{w}": learning.rates(_STEPS, d, w) for d, w in dict.fromkeys(pairs)}
    peak = learning.rates(np.array([warmup]), width, warmup)[0]
    first = learning.rates(np.array([learning.NOAM[0][1]]), *learning.NOAM[0])[0]
    twice = learning.rates(np.array([learning.NOAM[0][1]]), *learning.NOAM[0], factor=2.0)[0]
    values: Values = {"width": width, "warmup": warmup, "peak": tiny(peak, 2), "first_peak": tiny(first, 2)}
    values["twice"] = tiny(twice, 2)
    axes = (say("training.step"), say("training.rate"))
    with chart:
        draw(curves(_STEPS, series, axes, height=150), "lesson.7.rates", **values)
    return values


def _log(now: Session) -> Values:
    """The log of the checkpoint's own training."""
    log = now.model.training_log
    judged = [entry for entry in log if "dev_bleu" in entry]
    losses = [entry for entry in log if "loss" in entry]
    if not losses or not judged:
        lead("about.nolog")
        return dict.fromkeys(("ramps", "steps", "loss", "bleu", "step", "top_bleu", "schedule", "top_rate"), "–")
    rates = [float(entry["lr"]) for entry in losses]
    training = now.model.meta.get("training", {})
    ships = min(judged, key=lambda entry: abs(int(entry["step"]) - int(training.get("steps_done", 0))))
    values: Values = {
        "ramps": learning.ramps(rates),
        "steps": f"{log[-1]['step']:,}",
        "loss": number(float(losses[-1]["loss"])),
        "bleu": number(float(ships["dev_bleu"])),
        "step": f"{ships['step']:,}",
        "top_bleu": number(max(float(entry["dev_bleu"]) for entry in judged)),
        "schedule": training.get("schedule", "–"),
        "top_rate": tiny(max(rates), 2),
    }
    draw_row(training_curves(log, TrainingText.said_by(say), height=160), "lesson.7.log", **values)
    lead("lesson.7.log.lead", **values)
    return values


LESSON = Lesson(
    formula=r"\mathrm{lr} = d_{model}^{-0.5} \cdot \min\!\left(step^{-0.5},\; step \cdot warmup^{-1.5}\right), \qquad "
    r"y_c = \begin{cases} 1 - \epsilon & c = t \\ \epsilon / (V - 2) & c \ne t \end{cases}",
    picture=picture,
    more=more,
    views=("about",),
    sentence=False,
    own=True,
)
