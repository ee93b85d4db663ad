"""Lesson 11: the same head in BERT, GPT and ViT."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.analysis.lessons.families import Shapes, hide, seen_share, tasks
from model.errors import HeadlightError
from model.trace import Label
from viz.charts.lesson_charts import cells
from viz.charts.markup import line
from viz.core import pictures
from viz.core.answers.lessons import fused, sizes
from viz.core.answers.maps import seen_picture
from viz.core.answers.translations import translation
from viz.core.choice import say, within
from viz.core.numbers import number
from viz.core.session import Session, Subject
from viz.core.views import EVERY_FORM
from viz.views.lessons.lesson import Lesson, Values, count, tiny
from viz.widgets.chart import draw
from viz.widgets.patches import Patched, patch_picture, truth

BERT, GPT, VIT = "tiny-bert", "tiny-gpt", "tiny-vit"
EXAMPLE = "My sister bought a red bicycle yesterday."
TINY_LAYERS = TINY_HEADS = 4
_MOST = 16  # tokens that a column has room for


def picture(now: Session) -> Values:
    """One position of a head in three models, over one sentence and one scene."""
    text = sentence(now)
    chosen = st.columns(4, gap="medium")
    with chosen[0]:
        layer = count(11, "layer", 0, TINY_LAYERS - 1, 1)
    with chosen[1]:
        head = count(11, "head", 0, TINY_HEADS - 1, 0)
    with chosen[2]:
        word = count(11, "word", 1, len(text.split()) - 1, min(2, len(text.split()) - 1))
    with chosen[3]:
        scene = count(11, "scene", 1, 99, 7)
    masked, before, hidden = hide(text, word)
    both, left, patched = st.columns(3, gap="medium")
    with both:
        first = _text(now, "bert", Subject(masked, BERT), (layer, head))
    with left:
        second = _text(now, "gpt", Subject(before, GPT), (layer, head))
    with patched:
        third = _patches(now, f"scene-{scene}", (layer, head))
    values = {**first, **second, **third, "word": hidden, "before": before, "place": f"L{layer} H{head}"}
    asked = tasks(text, EXAMPLE if text != EXAMPLE else "She bought a bicycle.")
    one = fused(Subject(f"scene-{scene}", VIT))
    steps = " → ".join(str(list(shape)) for shape in one.shapes)
    return (
        values
        | {name: " · ".join(lines) for name, lines in asked.items()}
        | {"fused": steps, "fused_error": tiny(one.error)}
    )


def sentence(now: Session) -> str:
    """The visitor's sentence, where the tiny models can read it and a word of it can be hidden; else one of ours."""
    text = " ".join(now.subject.text.split())
    if now.model.reads != "text" or not text.isascii() or not 2 < len(text.split()) <= _MOST:
        return EXAMPLE
    try:
        translation(Subject(hide(text, 1)[0], BERT))
    except HeadlightError:
        return EXAMPLE
    return text


def _text(now: Session, family: str, subject: Subject, place: tuple[int, int]) -> Values:
    """A head's map over the tokens, with its shapes; what is filled in, or written next."""
    found, shape = translation(subject), sizes(subject)
    (kind,) = subject.model.facts.anatomy.kinds
    weights = found.trace.weights[kind][place]
    names = _names(found.trace.axis_labels(kind)[1])[:_MOST]
    shown = weights[: len(names), : len(names)]
    said = found.tgt[found.given] if family == "gpt" else found.tgt[0]
    log_p = found.log_probs[found.given if family == "gpt" else 0]
    values: Values = {
        f"{family}_said": said.text.strip(" ▁Ġ"),
        f"{family}_p": f"{np.exp(log_p):.0%}",
        f"{family}_seen": f"{seen_share(shown):.0%}",
        f"{family}_tokens": len(names),
    }
    _shapes(family, shape)
    figure = cells(shown, names, names, limits=(0, 1), width=300, most_height=290)
    draw(figure, f"lesson.11.{family}", **values)
    return values


def _names(labels: tuple[Label, ...]) -> list[str]:
    return [label.text.replace("Ġ", "").replace("▁", "").strip() or "␣" for label in labels]


def _shapes(family: str, shape: Shapes) -> None:
    """The tensors of one layer, by their shapes."""
    heads, tokens, width = shape.query
    names = ("given", "states", "query", "weights")
    lines = [f"{say(f'lesson.11.{name}')} {list(getattr(shape, name))}" for name in names]
    st.html(line("alt", say(f"lesson.11.{family}.name")))
    st.code("\n".join(lines), language=None)
    assert (heads, tokens) == shape.weights[:2]
    assert heads * width == shape.states[1]


def _patches(now: Session, scene: str, place: tuple[int, int]) -> Values:
    """The class token's row over the scene's patches, with its shapes."""
    subject = Subject(scene, VIT)
    found, shape = translation(subject), sizes(subject)
    image, (rows, columns) = seen_picture(subject)
    row = found.trace.weights["encoder_self"][place][0].astype(float)
    decides = pictures.deciding(scene)
    assert decides is not None  # it is a scene
    _shapes("vit", shape)
    shown = Patched(image, row[-rows * columns :].reshape(rows, columns), None, False, decides)
    values: Values = {"vit_said": found.text, "vit_p": f"{np.exp(found.log_probs[0]):.0%}", "patches": rows * columns}
    values["vit_seen"] = f"{seen_share(found.trace.weights['encoder_self'][place]):.0%}"
    values["vit_self"] = number(float(row[0]))
    labels = within("patch", grid=say("lesson.11.vit.alt", **values), hint=say("lesson.10.patches.hint"))
    patch_picture(shown, theme=now.theme, labels=labels, key="lesson_patches", on_look=lambda at: None)
    st.html(line("lead", say("lesson.11.vit.lead", **values)))
    truth(VIT, "weights", row, decides)
    return values


LESSON = Lesson(
    formula=r"A = \operatorname{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}} + M\right), \qquad "
    r"M_{ij} = \begin{cases} 0 & j \in S_i \\ -\infty & j \notin S_i \end{cases}",
    picture=picture,
    views=("one_head",),
    sentence=False,
    reads=EVERY_FORM,
)
