"""Two sentences: what changed in them and in their translations, one head of both, and the heads that changed most."""

from __future__ import annotations

import streamlit as st

from viz.charts.markup import line
from viz.core.answers import translations
from viz.core.answers.translations import translation
from viz.core.choice import say, within
from viz.core.session import Session, choose_head
from viz.widgets import compared_sentences, head_facts
from viz.widgets.errors import end_view
from viz.widgets.head_board import head_list


def view(session: Session) -> None:
    """Both sentences, the chosen head's map of each, and the heads that changed most."""
    other = compared_sentences.other_sentence(session)
    if other is None:
        end_view()
    compared_sentences.both(session, translation(session.subject), translation(other))
    compared_sentences.one_head(session, other)
    changed = translations.changed_heads(session.subject, other)
    compared_sentences.measured(changed, session.head)
    st.html(line("lead", say("compare.ranking")))
    head_list(
        compared_sentences.ranked(changed),
        head_facts.readings(session),
        theme=session.theme,
        labels=within("compare"),
        key="changed_heads",
        on_open=choose_head,
        selected=session.head,
    )
    st.html(line("alt", say("compare.meaning")))
