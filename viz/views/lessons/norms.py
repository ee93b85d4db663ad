"""Lesson 6: residual connections, layer norm against batch norm, and where the norm stands."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.analysis.lessons.normalising import channel_means, codes
from viz.charts.lesson_charts import bars
from viz.charts.plain_shapes import curves
from viz.core.answers.lessons import batch_of, by_depth, normed, pictures_read
from viz.core.answers.translations import trace
from viz.core.choice import say
from viz.core.numbers import number
from viz.core.session import Session
from viz.views.lessons.lesson import Lesson, Values, count, tiny
from viz.widgets.chart import draw


def picture(now: Session) -> Values:
    """Both norms of the same activations, and gradients by depth."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        values = _norms(now)
    with right:
        return values | _depth()


def _norms(now: Session) -> Values:
    """What each token's numbers spread over, and whether the neighbours in the batch matter."""
    one, other = st.columns(2)
    with one:
        layer = count(6, "layer", 0, now.model.facts.anatomy.layers("encoder_self") - 1, 2)
    with other:
        size = count(6, "batch", 2, len(batch_of(now.subject, 99)), 3)
    found = normed(now.subject, layer, size)
    tokens = [label.text for label in trace(now.subject).src]
    names = (say("lesson.6.raw"), say("lesson.6.layer_norm"), say("lesson.6.batch_norm"))
    spreads = [states.std(axis=1) for states in (found.raw, found.layer, found.batch)]
    values: Values = {
        "layer": layer,
        "size": size,
        "raw": number(float(spreads[0].mean())),
        "layer_spread": number(float(np.abs(spreads[1] - 1).max()), 3),
        "batch_least": number(float(spreads[2].min())),
        "batch_most": number(float(spreads[2].max())),
        "layer_moved": tiny(float(found.layer_moved.max())),
        "batch_moved": number(float(found.batch_moved.max())),
    }
    two = codes(found.raw)
    values |= {"ratio": number(two.ratio, 4), "codes": number(two.difference, 3)}
    values |= {"largest": number(two.largest, 1), "expected": number(two.expected, 1)}
    behind, channel, dimension = channel_means(pictures_read(), found.every)
    values |= {"behind": f"{behind:,}", "tokens": len(found.every)}
    values |= {"channel": number(channel), "dimension": number(dimension)}
    spread = bars(tokens, dict(zip(names, spreads, strict=True)), say("lesson.6.spread"), width=520, height=190)
    draw(spread, "lesson.6.spreads", **values)
    moved = {names[1]: found.layer_moved, names[2]: found.batch_moved}
    draw(bars(tokens, moved, say("lesson.6.moved"), width=520, height=170), "lesson.6.alone", **values)
    return values


def _depth() -> Values:
    """Likeness of tokens, and gradients, by layer of a fresh encoder."""
    found = by_depth()
    named = {wiring: say(f"lesson.6.{wiring}") for wiring in found.likeness}
    layers = np.arange(1, len(found.likeness["pre"]) + 1)
    before, after = found.gradient["pre"], found.gradient["post"]
    values: Values = {
        "layers": len(layers),
        "alike": number(float(found.likeness["none"][2])),
        "kept": number(float(found.likeness["pre"][2])),
        "pre_ratio": number(float(before[-1] / before[0])),
        "times": number(float(after[-1] / before[-1]), 1),
        "pre_last": number(float(before[-1])),
        "post_last": number(float(after[-1])),
    }
    for picture_of, name, curve in (("alike", "likeness", found.likeness), ("slopes", "gradient", found.gradient)):
        series = {named[wiring]: method for wiring, method in curve.items()}
        axes = (say("lesson.6.depth"), say(f"lesson.6.{name}"))
        draw(curves(layers, series, axes, height=240), f"lesson.6.{picture_of}", **values)
    return values


LESSON = Lesson(
    formula=r"x \leftarrow x + f(\mathrm{LN}(x)), \qquad \mathrm{LN}(x) = \gamma\,"
    r"\frac{x - \mathrm{mean}(x)}{\sqrt{\mathrm{var}(x) + \epsilon}} + \beta",
    picture=picture,
    views=("flow", "lens"),
    own=True,
)
