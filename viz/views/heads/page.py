"""The heads that matter: the ten of them first, then all, coloured and as a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from model.trace import KINDS
from viz.charts.markup import line, tag
from viz.core.going import open_head
from viz.core.language import say, within
from viz.core.session import current_session
from viz.views.heads import heads_together
from viz.widgets import head_facts
from viz.widgets.bar import bar
from viz.widgets.head_board import Board, head_board
from viz.widgets.head_facts import MEASURED, SHARES
from viz.widgets.head_list import head_list
from viz.widgets.picker import pick

_MOST = 10
now = current_session()
titles = {kind: say(f"kind.{kind}") for kind in KINDS}


def open_row() -> None:
    """Choose the head of the row that was selected in the table."""
    rows = st.session_state["all_heads_table"]["selection"]["rows"]
    if rows:
        open_head(facts.ranked()[rows[0]])


table, about = head_facts.corpus_table(now.checkpoint)
with bar():
    scope = pick("scope", labelled=False)
if scope == "corpus" and table:
    facts, shown = head_facts.of_corpus(table, now.model), "corpus"
else:
    with st.spinner(say("heads.computing")):
        facts, shown = head_facts.of_sentence(now), "sentence"
about_model = shown == "sentence" and now.model.reads != "text"
if shown != scope:
    st.info(about)
shared: dict[str, Any] = {"theme": now.theme, "on_open": open_head}
head_list(
    head_facts.listed(facts, _MOST),
    head_facts.readings(now),
    labels=within("heads"),
    key="ten_heads",
    **shared,
)
st.html(line("lead", say("heads.lead.model" if about_model else f"heads.lead.{shown}")))
if not any(role for layers in facts.roles.values() for roles in layers for role in roles):
    st.html(line("alt", say("heads.no_role")))
if table and shown == "corpus":
    heads_together.draw(table, now.theme)

measure = pick("measure", explained=False)
values = facts.values(measure)
every = np.concatenate([each.ravel() for each in values.values()])
top = 1.0 if measure in SHARES else float(np.nanmax(np.abs(every), initial=0.0)) or 1.0
board = Board(
    values,
    titles,
    lambda value: head_facts.written(value, measure),
    lambda value: head_facts.said(value, measure),
    top,
    signed=measure == "importance",
)
labels = within("heads", legend=say(f"heads.legend.{measure}"))
head_board(board, selected=now.head, labels=labels, key="head_board", **shared)
summary = head_facts.extremes(values, measure)
st.html(line("alt", say(f"heads.meaning.{measure}"), tag("br"), summary))
formats = {say(f"heads.column.{name}"): "%.0f" if name in SHARES else "%.2f" for name in MEASURED}
numbers = {name: st.column_config.NumberColumn(format=form) for name, form in formats.items()}
st.dataframe(
    head_facts.columns(facts),
    hide_index=True,
    height=360,
    column_config=numbers,
    key="all_heads_table",
    on_select=open_row,
    selection_mode="single-row",
)
heads_together.draw_nearest(facts)
if shown == "corpus":
    st.html(line("alt", about))
