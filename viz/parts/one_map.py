"""One map on a page: its heatmap, what it means, whether it is sane, and what can be saved of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from model.analysis.maps.export import map_csv, map_json, trace_npz
from model.analysis.maps.reading import Reading
from model.analysis.maps.sanity import check_map
from viz.figures.heatmap import HeatmapText, attention_heatmap, divided, heatmap_config, heatmap_summary
from viz.figures.markup import line
from viz.parts import drawing
from viz.parts.combined import Combination
from viz.parts.saving import take_away
from viz.parts.showing import pins
from viz.state.answers.translations import trace, translation
from viz.state.language import say
from viz.state.view import View


def draw(now: View, chosen: Combination) -> tuple[Reading, str]:
    """The map, and what can be said and saved of it; returns what is drawn, and its title."""
    if not drawing.is_drawn(now, now.kind):
        return Reading(np.zeros((0, 0)), (), ()), ""
    every = drawing.drawing(now, now.kind)
    shown = every.of(chosen.of(every.reading.weights, now.kind))
    reading, sort = shown.reading, drawing.name(now)
    title = f"{say(f'kind.{now.kind}')} · {drawing.whose(now, chosen.name)} · {sort}"
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
        theme=now.theme,
        own_scale=st.session_state["own"],
        log=st.session_state["log"],
        threshold=st.session_state["min"],
        writes=shown.beside,
        text=words,
        high=shown.high,
        signed=shown.is_signed,
    )
    found = translation(now.subject)
    if not found.src and found.given and not (now.words or now.hide_special):
        figure = divided(figure, found.given + 1, now.theme)
    summary = heatmap_summary(reading.weights, rows, columns, words)
    config = heatmap_config(_file_stem(now, chosen))
    st.plotly_chart(figure, key="map", width="content", theme=None, config=config, alt=summary)
    drawing.meaning(now, now.kind == "cross", summary)
    return reading, title


def _file_stem(now: View, chosen: Combination) -> str:
    """What files of this map are called, without their ending."""
    return f"headlight-{now.kind}-{chosen.name.replace(' ', '')}-{now.drawn}"


def beneath(now: View, chosen: Combination, reading: Reading, title: str) -> None:
    """The sanity of a map of weights, and what can be saved."""
    stem, found = _file_stem(now, chosen), translation(now.subject)
    with st.container(horizontal=True, vertical_alignment="center"):
        if now.drawn == "weights" and chosen.how == "head":
            sanity = check_map(trace(now.subject), *now.head)
            state = "holds" if sanity.holds else "fails"
            errors = {"sums": f"{sanity.row_sum_error:.1e}", "masked": f"{sanity.masked_weight:.1e}"}
            st.html(line(state, say(f"one_head.sanity.{state}", **errors)))
        st.download_button("CSV", lambda: map_csv(reading), f"{stem}.csv", "text/csv", on_click="ignore")
        st.download_button("JSON", lambda: map_json(reading), f"{stem}.json", on_click="ignore")
        st.download_button("NPZ", lambda: trace_npz(found), "headlight-trace.npz", on_click="ignore")
        asked = take_away.shown(now, chosen=chosen)
        take_away.take_away(now, asked, [(title, reading)], stem)
        take_away.as_code(now, asked)
        pins.pin_button(now, asked, "one_head")
