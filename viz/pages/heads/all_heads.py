"""Every head at once: three kinds of attention, all layers, all heads."""

from __future__ import annotations

import streamlit as st

from model.analysis.maps.sorts import SORTS
from viz.components.head_grid.head_grid import KindMaps, head_grid
from viz.figures.markup import line
from viz.parts import drawing
from viz.shell.navigation import open_head
from viz.state.answers.translations import trace
from viz.state.language import say, within
from viz.state.view import view

now = view()

lead, switch = st.columns([6, 1.2], vertical_alignment="center")
lead.html(line("lead", say("all_heads.lead")))
own_scale = switch.toggle(say("all_heads.own"), key="own", help=say("all_heads.own.help"), bind="query-params")

maps = []
for kind in (kind for kind in SORTS[now.drawn].kinds if kind in trace(now.subject).kinds):
    every = drawing.drawing(now, kind)
    every = every.of(drawing.one_of(now.drawn, every.reading.weights))
    reads = every.beside_key.removeprefix("heatmap.")
    maps.append(KindMaps(kind, say(f"kind.{kind}"), every.reading, every.beside, reads, every.high, every.is_signed))
legends = {name: say(f"all_heads.{name}", drawn=drawing.name(now)) for name in ("legend", "legend_pooled")}
head_grid(
    maps,
    selected=now.head,
    theme=now.theme,
    labels=within("all_heads", sort=say(f"drawn.{now.drawn}"), **legends),
    key="heads_overview",
    on_open=open_head,
    own_scale=own_scale,
)
drawing.meaning(now, cross="cross" in trace(now.subject).kinds)
