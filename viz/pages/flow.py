"""Attention across layers as one picture: from the source words to one output token."""

from __future__ import annotations

import html

import streamlit as st

from model.analysis.flow import MEASURES, flow_graph
from viz import cached, chart, session
from viz.components.flow_graph import LABELS, FlowTokens, flow_graph_picture
from viz.components.playback import reported_step
from viz.flow_words import middle_word, source_words, summary
from viz.session import say

LEAST = (0.5, 10.0, 1.0, 0.5)  # percent: lowest, highest, where it starts, step
now = session.view()
translation, trace = session.translation(), session.trace()
rows = len(trace.tgt_outputs) if translation.finished else max(1, len(translation.tgt))


def controls() -> tuple[str, float]:
    """The measure, and the least share of an edge that is drawn."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        measure = chart.pick("flow.by", "flow_by", MEASURES, labelled=False)
        label = say("flow.least")
        st.html(f'<p class="hl-alt">{html.escape(label)}</p>', width="content")
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
    shares = cached.flow_shares(now.text, now.checkpoint, now.beam, session.forced("hyp"), measure)
    graph = flow_graph(shares, step - 1, least, groups)
    opened = flow_graph_picture(
        graph,
        FlowTokens(src, trace.tgt_inputs[:rows], trace.tgt_outputs[:rows]),
        summary=summary(graph, src, trace, say),
        theme=session.theme(),
        labels={label: say(f"flow.{label}") for label in LABELS},
        key="flow_graph",
        on_step=write_step,
        on_open=session.choose_head,
    )
    if opened:  # a fragment that switches pages itself would lose the sentence from the link
        st.session_state["_opens"] = True
        st.rerun()


if st.session_state.pop("_opens", False):
    st.switch_page("viz/pages/one_head.py", query_params=[])
measure, least = controls()
picture()
chart.lead(f"flow.lead.{measure}")
