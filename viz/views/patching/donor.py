"""What something is carried from: another sentence, or another model that reads the same one."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from viz.charts.marked import marked_text
from viz.charts.markup import line
from viz.core.answers.translations import translation
from viz.core.language import say
from viz.core.session import Session, Subject
from viz.widgets import compared_models as models
from viz.widgets import compared_sentences as sentences
from viz.widgets.bar import bar
from viz.widgets.picker import pick, shown_key

SENTENCE = "carry_sentence"  # key of what chooses the other sentence


def chosen_donor(now: Session) -> tuple[Subject | None, list[str]]:
    """The other pass's subject as the visitor chose it, None where there is none; and what is not to be seen of this.

    Both choices are always drawn, so that the link keeps what stands in either.
    """
    names = models.of_one_shape(now.checkpoint)
    with bar():
        is_model = pick("donor", labelled=False) == "model"
        name = models.choose(names, now.checkpoint) if names else ""
    with st.container(key=SENTENCE):
        text = sentences.other_text(now)
    unseen = ["against", SENTENCE if is_model else shown_key("against")]
    if not is_model and not text:
        st.info(say("compare.none"))
    if is_model and not name:
        st.html(line("lead", say("carry.no_model", model=now.checkpoint)))
    if not (name if is_model else text):
        return None, unseen
    own = now.subject.own
    return (replace(own, checkpoint=name) if is_model else replace(own, text=text)), unseen


def called(now: Session, other: Subject) -> dict[str, str]:
    """Both passes as a text calls them."""
    if other.checkpoint == now.checkpoint:
        return {"one": say("carry.first"), "other": say("carry.second")}
    sides = {"one": now.checkpoint, "other": other.checkpoint}
    return {side: say("carry.named", model=models.named(name)) for side, name in sides.items()}


def beside(now: Session, other: Subject) -> DeltaGenerator:
    """Both sentences over their translations, or both models over what they write; the empty column beside them."""
    one, two = translation(now.subject), translation(other)
    if other.checkpoint == now.checkpoint:
        return sentences.both(now, one, two, more=1)[0]
    first, second, rest = st.columns(3)
    marked = sentences.changed_labels(one.tgt, two.tgt)
    both = zip((first, second), called(now, other).values(), (one, two), marked, strict=True)
    for column, name, found, places in both:
        column.html(str(line("alt", name)) + marked_text([label.text for label in found.tgt], places, now.theme))
    return rest
