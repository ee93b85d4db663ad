"""Two sentences: what changed in them and in their translations, one head of both, and the heads that changed most."""

from __future__ import annotations

import streamlit as st

from viz.components.head_list.head_list import head_list
from viz.figures.markup import line
from viz.parts import head_facts
from viz.parts.comparing import heads, sentences
from viz.shell.errors import end_view
from viz.state.answers import compare
from viz.state.answers.translations import translation
from viz.state.language import say, within
from viz.state.view import choose_head, view

now = view()
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
