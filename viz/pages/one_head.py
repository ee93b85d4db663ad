"""One head's map, labelled, with its numbers and its sanity."""

from __future__ import annotations

import html

import streamlit as st

from model.analysis.reading import read_map
from model.analysis.sanity import check_map
from model.export import map_csv, trace_npz
from viz import session
from viz.components.picture_buttons import PICTURES, picture_buttons
from viz.figures.heatmap import HeatmapText, attention_heatmap, heatmap_config, heatmap_summary
from viz.session import say

now = session.view()
translation, trace = session.translation(), session.trace()
reading = read_map(trace, now.kind, now.layer, now.head, now.words, now.hide_special)
name = f"L{now.layer} H{now.head}"
title = f"{say(f'kind.{now.kind}')} · {name}"

with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
    for key, shortcut, layers, heads in (
        ("previous_head", "Left", 0, -1),
        ("next_head", "Right", 0, 1),
        ("layer_down", "Down", -1, 0),
        ("layer_up", "Up", 1, 0),
    ):
        st.button(
            say(f"one_head.{key}"),
            key=key,
            shortcut=shortcut,
            on_click=session.step_head,
            args=(layers, heads),
        )
    own_scale = st.toggle(say("one_head.own"), key="own", help=say("one_head.own.help"), bind="query-params")
    log = st.toggle(say("one_head.log"), key="log", help=say("one_head.log.help"), bind="query-params")
    threshold = st.slider(
        say("one_head.threshold"),
        0.0,
        1.0,
        0.0,
        0.01,
        key="min",
        help=say("one_head.threshold.help"),
        bind="query-params",
        width=220,
    )

rows, columns = [label.text for label in reading.rows], [label.text for label in reading.columns]
writes = None
if now.kind != "encoder_self" and not (now.words or now.hide_special):
    writes = [label.text for label in trace.tgt_outputs]
if not reading.weights.size:
    st.info(say("one_head.empty"))
    st.stop()
words = HeatmapText.said_by(say)
figure = attention_heatmap(
    reading.weights,
    rows,
    columns,
    title=title,
    theme=session.theme(),
    own_scale=own_scale,
    log=log,
    threshold=threshold,
    writes=writes,
    text=words,
)
stem = f"headlight-{now.kind}-{name.replace(' ', '')}"
summary = heatmap_summary(reading.weights, rows, columns, words)
st.plotly_chart(figure, key="map", width="content", theme=None, config=heatmap_config(stem), alt=summary)
st.html(f'<p class="hl-alt">{html.escape(summary)}</p>')

sanity = check_map(trace, now.kind, now.layer, now.head)
state = "holds" if sanity.holds else "fails"
sums, masked = f"{sanity.row_sum_error:.1e}", f"{sanity.masked_weight:.1e}"
with st.container(horizontal=True, vertical_alignment="center"):
    st.html(f'<p class="hl-{state}">{html.escape(say(f"one_head.sanity.{state}", sums=sums, masked=masked))}</p>')
    st.download_button("CSV", lambda: map_csv(reading), f"{stem}.csv", "text/csv", on_click="ignore")
    st.download_button("NPZ", lambda: trace_npz(translation), "headlight-trace.npz", on_click="ignore")
    formats = {image: say(f"heatmap.{image}") for image in PICTURES}
    picture_buttons("map", stem, labels=formats, key="pictures")
