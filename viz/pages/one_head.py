"""One head's map, or several heads' as one, labelled, with its numbers, its meaning and its sanity."""

from __future__ import annotations

import html
from dataclasses import replace

import streamlit as st

from model.analysis.reading import Reading
from model.analysis.sanity import check_map
from model.export import map_csv, trace_npz
from viz import combined, drawing, honesty, pickers, session
from viz.combined import Combination
from viz.components.picture_buttons import PICTURES, picture_buttons
from viz.figures.heatmap import HeatmapText, attention_heatmap, heatmap_config, heatmap_summary
from viz.session import View, say

DISPLAY = ("own", "log", "min")


def step(layers: int, heads: int) -> None:
    """Go some layers up and heads to the right, round the ends."""
    now, trace = session.view(), session.trace()
    n_layers, n_heads = trace.weights[now.kind].shape[:2]
    session.choose_head(now.kind, (now.layer + layers) % n_layers, (now.head + heads) % n_heads)


def choose() -> None:
    """Which head, and how it is shown."""
    pickers.row("one_head")
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
            st.toggle(say("one_head.own"), key="own", help=say("one_head.own.help"), bind="query-params")
            st.toggle(say("one_head.log"), key="log", help=say("one_head.log.help"), bind="query-params")
            explained = say("one_head.threshold.help")
            st.slider(say("one_head.threshold"), 0.0, 1.0, 0.0, 0.01, key="min", help=explained, bind="query-params")


def picture(now: View, chosen: Combination) -> tuple[Reading, str]:
    """The map, and what can be said and saved of it; returns what is drawn, and its title."""
    every = drawing.drawing(now.kind)
    shown = every.of(chosen.of(every.reading.weights, now.kind))
    reading, sort = shown.reading, drawing.name()
    title = f"{say(f'kind.{now.kind}')} · {drawing.whose(chosen.name)} · {sort}"
    if not reading.weights.size:
        st.info(say("one_head.empty"))
        return reading, title
    rows, columns = [label.text for label in reading.rows], [label.text for label in reading.columns]
    words = replace(HeatmapText.said_by(say), weight=sort, writes=say(shown.beside_key))
    figure = attention_heatmap(
        reading.weights,
        rows,
        columns,
        title=title,
        theme=session.theme(),
        own_scale=st.session_state["own"],
        log=st.session_state["log"],
        threshold=st.session_state["min"],
        writes=shown.beside,
        text=words,
        high=shown.high,
        signed=shown.is_signed,
    )
    summary = heatmap_summary(reading.weights, rows, columns, words)
    config = heatmap_config(file_stem(now, chosen))
    st.plotly_chart(figure, key="map", width="content", theme=None, config=config, alt=summary)
    drawing.meaning(now, now.kind == "cross", summary)
    return reading, title


def file_stem(now: View, chosen: Combination) -> str:
    """What files of this map are called, without their ending."""
    return f"headlight-{now.kind}-{chosen.name.replace(' ', '')}-{now.drawn}"


def beneath(now: View, chosen: Combination, reading: Reading) -> None:
    """The sanity of a map of weights, and what can be saved."""
    stem, translation = file_stem(now, chosen), session.translation()
    with st.container(horizontal=True, vertical_alignment="center"):
        if now.drawn == "weights" and chosen.how == "head":
            sanity = check_map(session.trace(), now.kind, now.layer, now.head)
            state = "holds" if sanity.holds else "fails"
            errors = {"sums": f"{sanity.row_sum_error:.1e}", "masked": f"{sanity.masked_weight:.1e}"}
            st.html(f'<p class="hl-{state}">{html.escape(say(f"one_head.sanity.{state}", **errors))}</p>')
        st.download_button("CSV", lambda: map_csv(reading), f"{stem}.csv", "text/csv", on_click="ignore")
        st.download_button("NPZ", lambda: trace_npz(translation), "headlight-trace.npz", on_click="ignore")
        formats = {image: say(f"heatmap.{image}") for image in PICTURES}
        picture_buttons("map", stem, labels=formats, key="pictures")


@st.fragment
def view() -> None:
    """All of it: a choice draws this anew and not the frame around it, and the map, which is waited for, first."""
    pickers.settle()
    choices, place = st.container(), st.container()
    known = pickers.are_known(*DISPLAY)
    if not known:
        with choices:
            choose()
    now = session.view()
    chosen = combined.combination(now)
    with place:
        reading, title = picture(now, chosen)
    if known:
        with choices:
            choose()
    if reading.weights.size:
        bar = st.container()  # filled last: the first time, it has to wait for the model
        beneath(now, chosen, reading)
        with bar:
            honesty.honesty_bar(now.kind, chosen.of(drawing.maps(now.kind), now.kind), title)
        drawing.prepare()
