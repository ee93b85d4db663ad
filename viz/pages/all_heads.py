"""Every head at once: three kinds of attention, all layers, all heads."""

from __future__ import annotations

import html

import streamlit as st

from model.analysis.reading import read
from model.trace import KINDS
from viz import session
from viz.components.head_grid import LABELS, KindMaps, head_grid
from viz.session import say

now = session.view()
trace = session.trace()

lead, switch = st.columns([6, 1.2], vertical_alignment="center")
lead.html(f'<p class="hl-lead">{html.escape(say("all_heads.lead"))}</p>')
own_scale = switch.toggle(say("all_heads.own"), key="own", help=say("all_heads.own.help"), bind="query-params")

maps = []
for kind in KINDS:
    reading = read(trace.weights[kind], *trace.axis_labels(kind), now.words, now.hide_special)
    writes = None
    if kind != "encoder_self" and not now.words:
        steps = zip(trace.tgt_inputs, trace.tgt_outputs, strict=True)
        writes = tuple(after.text for before, after in steps if not (now.hide_special and before.is_special))
    maps.append(KindMaps(kind, say(f"kind.{kind}"), reading, writes))

opened = head_grid(
    maps,
    selected=(now.kind, now.layer, now.head),
    theme=session.theme(),
    labels={name: say(f"all_heads.{name}") for name in LABELS},
    key="heads_overview",
    on_open=session.choose_head,
    own_scale=own_scale,
)
if opened:
    st.switch_page("viz/pages/one_head.py", query_params=[])
