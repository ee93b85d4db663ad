"""Two models on one sentence: what they write, how probable they find it, and which of their heads are alike."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from viz.figures.markup import line
from viz.parts.comparing import models
from viz.parts.over.bar import bar
from viz.shell import pickers
from viz.shell.errors import end_view
from viz.state.answers import compare
from viz.state.answers.translations import translation
from viz.state.language import say
from viz.state.models import entry_of
from viz.state.view import view

now = view()
with bar():
    other = models.choose(models.others(now.checkpoint), now.checkpoint)
pickers.hide(["against"])
if not other:
    st.info(say("two.none"))
    end_view()
mine, theirs = translation(now.subject), translation(replace(now.subject.own, checkpoint=other))
crossed = models.crossed(now.subject, mine, other, theirs)
models.scores(((now.checkpoint, mine), (other, theirs)), crossed)
if now.kind not in entry_of(other).facts.anatomy.kinds:
    st.html(line("lead", say("two.no_kind", model=models.named(other), kind=say(f"kind.{now.kind}"))))
    end_view()
likeness = compare.matched(now.subject, other, now.kind)
models.matched_pair(now, other, likeness, (mine, crossed[1]))
models.board(now, now.kind, likeness)
models.tables((now.checkpoint, other))
st.html(line("alt", say("two.meaning")))
