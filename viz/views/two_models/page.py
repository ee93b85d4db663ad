"""Two models on one sentence: what they write, how probable they find it, and which of their heads are alike."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from viz.charts.markup import line
from viz.core.answers import compare
from viz.core.answers.translations import translation
from viz.core.language import say
from viz.core.models import entry_of
from viz.core.session import current_session
from viz.widgets import compared_models as models
from viz.widgets.bar import bar
from viz.widgets.errors import end_view
from viz.widgets.picker import hide

now = current_session()
with bar():
    other = models.choose(models.others(now.checkpoint), now.checkpoint)
hide(["against"])
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
