"""Lesson 13: from subwords to vectors, and from the last vector back to a word."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.analysis.lessons.vectors import split_words
from viz.charts.lesson_charts import bars, cells
from viz.charts.markup import tag
from viz.core.answers.lessons import embedded, written
from viz.core.answers.translations import trace, translation
from viz.core.choice import say
from viz.core.numbers import number, signed
from viz.core.session import Session
from viz.views.lessons.lesson import Lesson, Values, count
from viz.widgets.chart import draw, lead

_UNSEEN = "unfriendliestness"


def picture(now: Session) -> Values:
    """Lengths of the tokens' rows before and after the scale, and how alike they are."""
    found, tokens = embedded(now.subject), [label.text for label in trace(now.subject).src]
    apart = ~np.eye(len(tokens), dtype=bool)
    values: Values = {
        "entries": f"{found.shape[0]:,}",
        "width": found.shape[1],
        "scale": number(found.scale, 0),
        "row": number(float(found.row.mean())),
        "scaled": number(float(found.scaled.mean()), 1),
        "position": number(float(found.position.mean()), 1),
        "above": int((found.cosines[apart] > 0).sum()) // 2,
        "pairs": int(apart.sum()) // 2,
        "alike": f"{float(found.alike.mean()):.0%}",
    }
    left, right = st.columns(2, gap="medium")
    with left:
        lengths = {"row": found.row, "scaled": found.scaled, "position": found.position}
        series = {say(f"lesson.13.{name}", scale=values["scale"]): each for name, each in lengths.items()}
        draw(bars(tokens, series, say("lesson.13.length"), width=450, height=210), "lesson.13.lengths", **values)
    with right:
        texts = [[signed(value) for value in row] for row in found.cosines]
        figure = cells(found.cosines, tokens, tokens, texts=texts, limits=(-1, 1), most_height=215, width=450)
        draw(figure, "lesson.13.signs", **values)
    return values


def more(now: Session) -> Values:
    """A word in pieces, and one step's state as scores of the target's words."""
    left, right = st.columns(2, gap="medium")
    with left:
        values = _pieces(now)
    with right:
        return values | _back(now)


def _pieces(now: Session) -> Values:
    """A word as the vocabulary spells it, and what a dictionary of whole words would know of the sentence."""
    word = st.text_input(say("lesson.13.word"), _UNSEEN, key="l13_word", max_chars=60, bind="query-params").strip()
    pieces = [label.text for label in now.model.opened.labels(word or _UNSEEN)]
    words = split_words([*(label.text for label in translation(now.subject).src), *pieces])
    unknown = ["".join(each).replace("##", "") for each in words if len(each) > 1]
    values: Values = {"word": word or _UNSEEN, "pieces": len(pieces), "words": len(words), "lost": len(unknown)}
    values["unknown"] = ", ".join(unknown) or "–"
    lead("lesson.13.spelt", **values)
    st.html(tag("p", *(tag("code", piece, style="margin-right: .5em") for piece in pieces), class_="hl-lead"))
    lead("lesson.13.dictionary", **values)
    return values


def _back(now: Session) -> Values:
    """The largest scores of one step, and the log-probabilities that they become."""
    labels = trace(now.subject).tgt_outputs
    step = count(13, "step", 1, len(translation(now.subject).log_probs), 3) - 1
    found = written(now.subject, step)
    names = [now.model.opened.piece(token) for token in found.best]
    values: Values = {
        "token": labels[step].text,
        "targets": f"{found.shape[0]:,}",
        "shared": f"{found.shape[0] * found.shape[1]:,}",
        "logit": number(float(found.logits[0])),
        "log_sum": number(found.log_sum),
        "log_p": number(float(found.log_p[0])),
        "best": names[0],
    }
    series = {say("lesson.13.logit"): found.logits, "log p": found.log_p}
    draw(bars(names, series, say("lesson.13.nats"), width=420, height=200), "lesson.13.back", **values)
    return values


LESSON = Lesson(
    formula=r"x_t = \sqrt{d_{model}}\; E_{src}[\mathrm{id}_t] + PE_t, \qquad "
    r"\log p = \mathrm{logsoftmax}\!\left(E_{tgt}\, h_t\right)",
    picture=picture,
    more=more,
    views=("lens", "swap"),
    own=True,
)
