"""The heads that matter: the ten of them first, then all, coloured and as a table."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
import streamlit as st

from model.analysis.reading import read
from model.trace import KINDS
from viz import chart, head_facts, session
from viz.components.head_board import LABELS as BOARD_LABELS
from viz.components.head_board import Board, head_board
from viz.components.head_list import LABELS as LIST_LABELS
from viz.components.head_list import head_list
from viz.head_facts import SCOPES, SHARES, SHOWN
from viz.session import say

MOST = 10
now, trace = session.view(), session.trace()
titles = {kind: say(f"kind.{kind}") for kind in KINDS}


def open_row() -> None:
    """Choose the head of the row that was selected in the table."""
    rows = st.session_state["all_heads_table"]["selection"]["rows"]
    if rows:
        session.choose_head(*facts.ranked()[rows[0]])
        st.session_state["_row_opened"] = True


table, about = head_facts.corpus_table()
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
    lead = st.empty()
    scope = chart.pick("scope", "scope", SCOPES, labelled=False)
if scope == "corpus" and table:
    facts, shown = head_facts.of_corpus(table), "corpus"
else:
    with st.spinner(say("heads.computing")):
        facts, shown = head_facts.of_sentence(), "sentence"
lead.html(f'<p class="hl-lead">{html.escape(say(f"heads.lead.{shown}"))}</p>', width="stretch")
if shown != scope:
    st.info(about)
maps = {kind: read(trace.weights[kind], *head_facts.axes(kind), now.words, now.hide_special) for kind in KINDS}
shared: dict[str, Any] = {"theme": session.theme(), "on_open": session.choose_head}
opened = head_list(
    head_facts.listed(facts, MOST), maps, labels={n: say(f"heads.{n}") for n in LIST_LABELS}, key="ten_heads", **shared
)

measure = chart.pick("measure", "measure", SHOWN, explained=False)
values = facts.values(measure)
every = np.concatenate([values[kind].ravel() for kind in KINDS])
top = 1.0 if measure in SHARES else float(np.nanmax(np.abs(every), initial=0.0)) or 1.0
board = Board(
    values,
    titles,
    lambda value: head_facts.written(value, measure),
    lambda value: head_facts.said(value, measure),
    top,
    signed=measure == "importance",
)
labels = {"hint": say("heads.hint"), "legend": say(f"heads.legend.{measure}")}
place = (now.kind, now.layer, now.head)
clicked = head_board(board, selected=place, labels={n: labels[n] for n in BOARD_LABELS}, key="head_board", **shared)
summary = head_facts.extremes(values, measure)
st.html(f'<p class="hl-alt">{html.escape(say(f"heads.meaning.{measure}"))}<br>{html.escape(summary)}</p>')
formats = {say(f"heads.column.{name}"): "%.0f" if name in SHARES else "%.2f" for name in SHOWN}
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
if shown == "corpus":
    st.html(f'<p class="hl-alt">{html.escape(about)}</p>')
if opened or clicked or st.session_state.pop("_row_opened", False):
    st.switch_page("viz/pages/one_head.py", query_params=[])
