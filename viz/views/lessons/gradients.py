"""Lesson 10: gradients of attention, caught by a hook, on a text and on a picture's patches."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.analysis.faithfulness.table import share_on
from model.trace import HeadRef
from viz.charts.lesson_charts import cells
from viz.charts.markup import line
from viz.core import models, pictures
from viz.core.answers.lessons import hooked
from viz.core.answers.maps import seen_picture
from viz.core.answers.translations import translation
from viz.core.choice import say, within
from viz.core.numbers import signed
from viz.core.session import Session, Subject, chosen_token
from viz.views.lessons.families import TINY_HEADS, TINY_LAYERS, VIT
from viz.views.lessons.lesson import Lesson, Values, count
from viz.widgets.chart import draw, lead
from viz.widgets.patches import Patched, patch_picture

START = 4  # the token that the lesson opens on: rows before it matter too


def picture(now: Session) -> Values:
    """Map and gradient of a head over the sentence."""
    return _over_text(now)


def more(now: Session) -> Values:
    """The code that was run, what a hook may change, and the same over a scene."""
    from model.analysis.lessons.hooks import doubled, shown_code

    st.code(shown_code(), language=None)  # Streamlit's colours for Python are too pale to read
    twice, once = doubled()
    lead("lesson.10.doubled", twice=[int(value) for value in twice], once=[int(value) for value in once])
    return _over_patches(now)


def _over_text(now: Session) -> Values:
    """Weights and gradient of the chosen head, for one written token."""
    trace = translation(now.subject).trace
    outputs = trace.tgt_outputs
    chosen = chosen_token(len(outputs))
    token = count(10, "token", 0, len(outputs) - 1, START if chosen is None else chosen)
    found = hooked(now.subject, *now.head[:2], token)
    weights = found.weights[now.head.head].float().numpy()
    gradient = found.where_seen()[now.head.head].float().numpy()
    rows, columns = trace.axis_tokens(now.kind)
    row, key = map(int, np.unravel_index(np.abs(gradient).argmax(), gradient.shape))
    values: Values = {
        "token": outputs[token].text,
        "shape": list(found.gradients.shape),
        "calls": found.calls,
        "place": now.head.title,
        "kind": say(f"kind.{now.kind}"),
        "row": rows[row],
        "column": columns[key],
        "largest": signed(float(gradient[row, key]), 3),
        "weight": signed(float(weights[row, key])),
        "rows": int((np.abs(gradient).max(1) > 0).sum()),
    }
    high = abs(float(gradient[row, key])) or 1.0
    method = {"map": (weights, (0.0, 1.0)), "gradient": (gradient, (-high, high))}
    for place, (name, (map_, limits)) in zip(st.columns(2, gap="medium"), method.items(), strict=True):
        with place:
            figure = cells(map_, rows, columns, limits=limits, width=480, most_height=180)
            draw(figure, f"lesson.10.{name}", **values)
    return values


def _over_patches(now: Session) -> Values:
    """The class token's weights and gradients over one scene."""
    told, *places = st.columns([8, 3, 3], gap="medium")
    with told:
        scene = f"scene-{count(10, 'scene', 1, 99, 7)}"
    head = HeadRef("encoder_self", min(now.head.layer, TINY_LAYERS - 1), min(now.head.head, TINY_HEADS - 1))
    subject = Subject(scene, VIT)
    found, (image, grid) = hooked(subject, *head[:2], 0), seen_picture(subject)
    decides = pictures.deciding(scene)
    assert decides is not None  # it is a scene
    values: Values = {"answer": translation(subject).text, "chance": f"{decides.mean():.0%}", "vit_place": head.title}
    values |= _measured()
    for place, name in zip(places, ("weights", "gradients"), strict=True):
        row = getattr(found, name)[head.head, 0].double().numpy()
        values[f"{name}_share"] = f"{float(share_on(row, decides)):.0%}"
        told.html(line("lead", say(f"lesson.10.patches.{name}", **values)))
        with place:
            shown = Patched(image, row[-decides.size :].reshape(grid), None, name == "gradients", decides)
            labels = within("patch", grid=say("lesson.10.patches.alt", **values), hint=say("lesson.10.patches.hint"))
            key = f"lesson_patches_{name}"
            patch_picture(shown, theme=now.theme, labels=labels, key=key, on_look=lambda at: None)
    return values


def _measured() -> Values:
    """What was measured over many scenes, of all heads together."""
    table = models.entry_of(VIT).scenes
    assert table is not None  # it ships
    names = {"weights": "weights_all", "gradient": "gradient_all", "gradient_weight": "product_all"}
    means = {told: f"{table['maps'][name]['mean']:.0%}" for name, told in names.items()}
    return {**means, "scenes": table["scenes"], "chance_all": f"{table['chance']:.0%}"}


LESSON = Lesson(
    formula=r"g_{ij} = \frac{\partial \log p(y_t)}{\partial \alpha_{ij}}",
    picture=picture,
    more=more,
    views=("one_head", "alignment"),
    pickers=("kind", "layer", "head"),
    needs=frozenset({"gradients"}),
    reads=("text",),
)
