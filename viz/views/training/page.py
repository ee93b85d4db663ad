"""A checkpoint over its training: a sentence and a head then and now, and when each head found its job."""

from __future__ import annotations

import streamlit as st

from viz.charts.markup import line
from viz.core.answers.past import past_of
from viz.core.language import say
from viz.core.session import current_session
from viz.views.training import past
from viz.widgets.bar import bar
from viz.widgets.errors import end_view
from viz.widgets.picker import pick

now = current_session()
found, why = past_of(now.checkpoint)
if found is None:
    st.html(line("error", say(f"past.{why}", checkpoint=now.checkpoint), role="alert"))
    end_view()


def take_sentence() -> None:
    """Look at the sentence that was chosen."""
    if text := st.session_state.get("past_sentence"):
        st.session_state.update(text=text, part="")


with bar():
    name = pick("course", "aer" if now.kind == "cross" else "job", labelled=False)
point = past.point_slider(now, found.step.tolist())
sentences = [each["source"] for each in found.examples]
if now.subject.text in sentences:
    past.then_and_now(now, found, sentences.index(now.subject.text), point)
else:
    st.html(line("lead", say("past.others")))
    st.pills(
        say("past.sentences"), sentences, key="past_sentence", label_visibility="collapsed", on_change=take_sentence
    )
chosen = past.measured(now, found, name)
if chosen is None:
    st.info(say(f"past.none.{name}"))
    end_view()
past.curves(now, found, chosen, point)
past.when_found(now, found, chosen)
st.html(line("alt", say(f"past.meaning.{name}")))
