"""Two sentences: what changed in them and in their translations, one head of both, and the heads that changed most."""

from __future__ import annotations

import streamlit as st

from viz.charts.markup import line
from viz.core.answers import compare
from viz.core.answers.translations import translation
from viz.core.language import say, within
from viz.core.session import choose_head, current_session
from viz.widgets import compared_heads as heads
from viz.widgets import compared_sentences as sentences
from viz.widgets import head_facts
from viz.widgets.errors import end_view
from viz.widgets.head_list import head_list

now = current_session()
other = sentences.other_sentence(now)
if other is None:
    end_view()
sentences.both(now, translation(now.subject), translation(other))
heads.one_head(now, other)
changed = compare.changed_heads(now.subject, other)
heads.measured(changed, now.head)
st.html(line("lead", say("compare.ranking")))
head_list(
    heads.ranked(changed),
    head_facts.readings(now),
    theme=now.theme,
    labels=within("compare"),
    key="changed_heads",
    on_open=choose_head,
    selected=now.head,
)
st.html(line("alt", say("compare.meaning")))
