"""Attention across layers as one picture: from the source words to one output token."""

from __future__ import annotations

import streamlit as st

from model.analysis.residual.flow import flow_graph
from viz.components.flow_graph.flow_graph import FlowTokens, flow_graph_picture
from viz.components.shared.messages import reported_step
from viz.figures.markup import line
from viz.parts import chart
from viz.parts.flow_words import middle_word, source_words, summary
from viz.parts.picker import pick
from viz.parts.places import bar
from viz.shell.navigation import leave_fragment, open_head
from viz.state.answers import translations
from viz.state.answers.residual import flow_shares
from viz.state.language import say, within
from viz.state.view import theme, view

LEAST = (0.5, 10.0, 1.0, 0.5)  # percent: lowest, highest, where it starts, step
now = view()
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


def write_step(step: int) -> None:
    """Keep the chosen step in the link, where the view of single steps looks for it too."""
    st.query_params["step"] = str(step)


@st.fragment
def picture() -> None:
    """The graph of the chosen step."""
    step = reported_step(st.query_params.get("step"), rows) or middle_word(trace.tgt_outputs[:rows]) + 1
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
        on_step=write_step,
        on_open=open_head,
    )
    leave_fragment()


measure, least = controls()
picture()
chart.lead(f"flow.lead.{measure}")
