"""Two to six heads of any kind and layer on one scale."""

from __future__ import annotations

import html

import streamlit as st

from model.analysis.reading import Reading
from model.trace import Kind
from viz import drawing, session
from viz.components.head_choice import MOST, chosen_heads, every_head, head_code
from viz.components.linked_maps import LABELS, LinkedMap, linked_maps
from viz.session import say

FEWEST = 2
now = session.view()
trace = session.trace()
sizes = session.config(now.checkpoint)
layers: dict[Kind, int] = {kind: len(maps) for kind, maps in trace.weights.items()}
heads = every_head(layers, sizes["n_heads"])


def name(code: str) -> str:
    """A head as the picker and the titles call it."""
    kind, layer, head = heads[code]
    return f"{say(f'kind.{kind}')} L{layer} H{head}"


# The link holds codes, which mean the same in every language; a bound widget would write its labels there.
state, link = st.session_state, st.query_params.get("heads")
is_old = link is None or link == state.get("_heads_link")
asked = state.get("heads", [""]) if is_old else str(link).split(",")
opening = [head_code(now.kind, now.layer, head % sizes["n_heads"]) for head in (now.head, now.head + 1)]
state["heads"] = chosen_heads(asked, heads) or (opening if asked else [])

pick, switches = st.columns([3, 2], vertical_alignment="bottom")
codes = pick.multiselect(
    say("side_by_side.heads"),
    list(heads),
    format_func=name,
    key="heads",
    max_selections=MOST,
    placeholder=say("side_by_side.placeholder"),
    help=say("side_by_side.heads.help"),
    persist_state="session",
    wrap=True,
)
state["_heads_link"] = ",".join(codes)
if link != state["_heads_link"]:
    st.query_params["heads"] = state["_heads_link"]
with switches.container(horizontal=True, gap="medium"):
    common = st.toggle(
        say("side_by_side.common"), key="common", help=say("side_by_side.common.help"), bind="query-params"
    )
    comparable = len(codes) == FEWEST and heads[codes[0]][0] == heads[codes[1]][0]
    difference = st.toggle(
        say("side_by_side.difference"),
        key="difference",
        help=say("side_by_side.difference.help"),
        disabled=not comparable,
        bind="query-params",
    )
if len(codes) < FEWEST:
    st.html(f'<p class="hl-lead">{html.escape(say("side_by_side.pick"))}</p>')
if not codes:
    st.stop()

every = {kind: drawing.drawing(kind) for kind in dict.fromkeys(heads[code][0] for code in codes)}
maps = [
    LinkedMap(name(code), kind, layer, head, every[kind].head(layer, head).reading)
    for code, (kind, layer, head) in ((code, heads[code]) for code in codes)
]
if comparable and difference:
    first, second = maps
    weights = first.reading.weights - second.reading.weights
    title = f"L{first.layer} H{first.head} − L{second.layer} H{second.head}"
    reading = Reading(weights, first.reading.rows, first.reading.columns)
    maps.append(LinkedMap(title, first.kind, first.layer, first.head, reading, difference=True))
linked_maps(
    maps,
    theme=session.theme(),
    labels={label: say(f"side_by_side.{label}") for label in LABELS}
    | {"legend": say("side_by_side.legend", drawn=drawing.name())},
    key="linked",
    common_maximum=common,
    high=max(each.high for each in every.values()),
    signed=any(each.is_signed for each in every.values()),
)
drawing.meaning(now, cross="cross" in every)
