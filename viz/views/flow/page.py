"""Attention across layers as one picture: from the source words to one output token."""

from __future__ import annotations

import streamlit as st

from model.analysis.residual.flow import flow_graph
from viz.charts.markup import line
from viz.core.answers import translations
from viz.core.answers.residual import flow_shares
from viz.core.going import open_head
from viz.core.language import say, within
from viz.core.session import choose_token, current_session, theme
from viz.views.flow.flow_graph import FlowTokens, flow_graph_picture
from viz.views.flow.flow_words import source_words, summary
from viz.widgets import chart
from viz.widgets.bar import bar
from viz.widgets.picker import pick
from viz.widgets.token import looked_at

LEAST = (0.5, 10.0, 1.0, 0.5)  # percent: lowest, highest, where it starts, step
now = current_session()
translation = translations.translation(now.subject)
trace = translation.trace
rows = len(trace.tgt_outputs) if translation.finished else max(1, len(translation.tgt))


def controls() -> tuple[str, float]:
    """The measure, and the least share of an edge that is drawn."""
    with bar():
        measure = pick("flow_by", labelled=False)
        label = say("flow.least")
        st.html(line("alt", label), width="content")
        low, high, start, by = LEAST
        least = st.slider(
            label,
            low,
            high,
            start,
            by,
            "%.1f %%",
            key="least",
            label_visibility="collapsed",
            bind="query-params",
            width=260,
        )
    return measure, least / 100


def picture() -> None:
    """The graph of the chosen step."""
    step = min(looked_at(translation) + 1, rows)
    src, groups = source_words(trace, now.words)
    shares = flow_shares(now.subject, measure)
    graph = flow_graph(shares, step - 1, least, groups)
    flow_graph_picture(
        graph,
        FlowTokens(src, trace.tgt_inputs[:rows], trace.tgt_outputs[:rows]),
        summary=summary(graph, src, trace, say),
        theme=theme(),
        labels=within("flow"),
        key="flow_graph",
        on_step=lambda step: choose_token(step - 1),
        on_open=open_head,
    )


measure, least = controls()
picture()
chart.lead(f"flow.lead.{measure}")
