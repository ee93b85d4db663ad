"""Every head at once: three kinds of attention, all layers, all heads."""

from __future__ import annotations

import html

import streamlit as st

from model.trace import KINDS
from viz import drawing, session
from viz.components.head_grid import LABELS, KindMaps, head_grid
from viz.session import say

now = session.view()

lead, switch = st.columns([6, 1.2], vertical_alignment="center")
lead.html(f'<p class="hl-lead">{html.escape(say("all_heads.lead"))}</p>')
own_scale = switch.toggle(say("all_heads.own"), key="own", help=say("all_heads.own.help"), bind="query-params")

maps = []
for kind in KINDS:
    every = drawing.drawing(kind)
    if now.drawn == "rollout":  # one map for all heads of a layer
        every = every.of(every.reading.weights[:, :1])
    reads = every.beside_key.removeprefix("heatmap.")
    maps.append(KindMaps(kind, say(f"kind.{kind}"), every.reading, every.beside, reads, every.high, every.is_signed))
labels = {name: say(f"all_heads.{name}") for name in LABELS if name != "sort"}
labels["sort"] = say(f"drawn.{now.drawn}")
labels |= {name: say(f"all_heads.{name}", drawn=drawing.name()) for name in ("legend", "legend_pooled")}
opened = head_grid(
    maps,
    selected=(now.kind, now.layer, now.head),
    theme=session.theme(),
    labels=labels,
    key="heads_overview",
    on_open=session.choose_head,
    own_scale=own_scale,
)
if opened:
    st.switch_page("viz/pages/one_head.py", query_params=[])
drawing.meaning(now, cross=True)
