"""Two models on one sentence: what they write, how probable they find it, and which of their heads are alike."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from viz.figures.markup import line
from viz.parts.comparing import models
from viz.parts.over.bar import bar
from viz.shell.errors import end_view
from viz.state import checkpoints
from viz.state.answers import compare
from viz.state.answers.translations import translation
from viz.state.language import say
from viz.state.view import view

now = view()
names = models.others(now.checkpoint)
state = st.session_state
if state.get("against") not in names:
    state.pop("against", None)
with bar():
    other = st.selectbox(
        say("two.against"),
        names,
        index=models.first_choice(names, now.checkpoint),
        key="against",
        placeholder=say("two.choose"),
        help=say("two.against.help"),
        bind="query-params",
        label_visibility="collapsed",
        width=320,
    )
if other is None:
    st.info(say("two.none"))
    end_view()
mine, theirs = translation(now.subject), translation(replace(now.subject.own, checkpoint=other))
crossed = models.crossed(now.subject, mine, other, theirs)
models.scores(((now.checkpoint, mine), (other, theirs)), crossed)
if now.kind not in checkpoints.facts(other).anatomy.kinds:
    st.info(say("two.no_kind", model=other, kind=say(f"kind.{now.kind}")))
    end_view()
likeness = compare.matched(now.subject, other, now.kind)
models.matched_pair(now, other, likeness, (mine, crossed[1]))
models.board(now, now.kind, likeness)
models.tables((now.checkpoint, other))
st.html(line("alt", say("two.meaning")))
