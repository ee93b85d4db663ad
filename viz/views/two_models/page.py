"""Two models on one sentence: what they write, how probable they find it, and which of their heads are alike."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from viz.charts.markup import line
from viz.core.answers import translations
from viz.core.answers.translations import translation
from viz.core.choice import say
from viz.core.models import entry_of
from viz.core.session import Session
from viz.widgets import compared_models
from viz.widgets.errors import end_view
from viz.widgets.picker import bar, hide


def view(session: Session) -> None:
    """What the two write and find probable, and which of their heads are alike."""
    with bar():
        other = compared_models.choose(compared_models.others(session.checkpoint), session.checkpoint)
    hide(["against"])
    if not other:
        st.info(say("two.none"))
        end_view()
    mine, theirs = translation(session.subject), translation(replace(session.subject.own, checkpoint=other))
    crossed = compared_models.crossed(session.subject, mine, other, theirs)
    compared_models.scores(((session.checkpoint, mine), (other, theirs)), crossed)
    if session.kind not in entry_of(other).facts.anatomy.kinds:
        st.html(line("lead", say("two.no_kind", model=compared_models.named(other), kind=say(f"kind.{session.kind}"))))
        end_view()
    likeness = translations.matched(session.subject, other, session.kind)
    compared_models.matched_pair(session, other, likeness, (mine, crossed[1]))
    compared_models.board(session, session.kind, likeness)
    compared_models.tables((session.checkpoint, other))
    st.html(line("alt", say("two.meaning")))
