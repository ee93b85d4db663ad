"""One head's map, or several heads' as one, labelled, with its numbers, its meaning and its sanity."""

from __future__ import annotations

import html
from dataclasses import replace

import streamlit as st

from model.analysis.sanity import check_map
from model.export import map_csv, trace_npz
from viz import combined, drawing, honesty, session
from viz.components.picture_buttons import PICTURES, picture_buttons
from viz.figures.heatmap import HeatmapText, attention_heatmap, heatmap_config, heatmap_summary
from viz.session import say

now = session.view()
translation, trace = session.translation(), session.trace()

chosen = combined.combination(now)


def step(layers: int, heads: int) -> None:
    """Go some layers up and heads to the right, round the ends."""
    n_layers, n_heads = trace.weights[now.kind].shape[:2]
    session.choose_head(now.kind, (now.layer + layers) % n_layers, (now.head + heads) % n_heads)


with st.container(key="hl_keys", horizontal=True, vertical_alignment="center", gap="small"):
    for key, shortcut, layers, heads in (
        ("previous_head", "Left", 0, -1),
        ("next_head", "Right", 0, 1),
        ("layer_down", "Down", -1, 0),
        ("layer_up", "Up", 1, 0),
    ):
        name = say(f"one_head.{key}")
        st.button(name, key=key, shortcut=shortcut, on_click=step, args=(layers, heads), type="tertiary")
    with st.popover(say("one_head.display"), type="tertiary"):
        own_scale = st.toggle(say("one_head.own"), key="own", help=say("one_head.own.help"), bind="query-params")
        log = st.toggle(say("one_head.log"), key="log", help=say("one_head.log.help"), bind="query-params")
        explained = say("one_head.threshold.help")
        threshold = st.slider(
            say("one_head.threshold"), 0.0, 1.0, 0.0, 0.01, key="min", help=explained, bind="query-params"
        )

every = drawing.drawing(now.kind)
shown = every.of(chosen.of(every.reading.weights, now.kind))
reading, sort = shown.reading, drawing.name()
title = f"{say(f'kind.{now.kind}')} · {drawing.whose(chosen.name)} · {sort}"
rows, columns = [label.text for label in reading.rows], [label.text for label in reading.columns]
if not reading.weights.size:
    st.info(say("one_head.empty"))
    st.stop()
words = replace(HeatmapText.said_by(say), weight=sort, writes=say(shown.beside_key))
figure = attention_heatmap(
    reading.weights,
    rows,
    columns,
    title=title,
    theme=session.theme(),
    own_scale=own_scale,
    log=log,
    threshold=threshold,
    writes=shown.beside,
    text=words,
    high=shown.high,
    signed=shown.is_signed,
)
stem = f"headlight-{now.kind}-{chosen.name.replace(' ', '')}-{now.drawn}"
summary = heatmap_summary(reading.weights, rows, columns, words)
st.plotly_chart(figure, key="map", width="content", theme=None, config=heatmap_config(stem), alt=summary)
drawing.meaning(now, now.kind == "cross", summary)
bar = st.container()  # filled last: the first time, it has to wait for the model

with st.container(horizontal=True, vertical_alignment="center"):
    if now.drawn == "weights" and chosen.how == "head":
        sanity = check_map(trace, now.kind, now.layer, now.head)
        state = "holds" if sanity.holds else "fails"
        said = say(f"one_head.sanity.{state}", sums=f"{sanity.row_sum_error:.1e}", masked=f"{sanity.masked_weight:.1e}")
        st.html(f'<p class="hl-{state}">{html.escape(said)}</p>')
    st.download_button("CSV", lambda: map_csv(reading), f"{stem}.csv", "text/csv", on_click="ignore")
    st.download_button("NPZ", lambda: trace_npz(translation), "headlight-trace.npz", on_click="ignore")
    formats = {image: say(f"heatmap.{image}") for image in PICTURES}
    picture_buttons("map", stem, labels=formats, key="pictures")
with bar:
    honesty.honesty_bar(now.kind, chosen.of(drawing.maps(now.kind), now.kind), title)
