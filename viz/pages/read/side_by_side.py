"""Two to six heads of any kind and layer on one scale."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from model.analysis.maps.reading import Reading
from model.analysis.maps.sorts import SORTS
from model.trace import Kind
from viz.components.linked_maps.linked_maps import LinkedMap, linked_maps
from viz.parts import chart, drawing
from viz.parts.saving import take_away
from viz.shell.errors import end_view
from viz.state.answers.translations import trace
from viz.state.codes.heads import MOST_HEADS, chosen_heads, every_head
from viz.state.language import say, within
from viz.state.view import view

FEWEST = 2
now = view()
weights = trace(now.subject).weights
drawable = [kind for kind in SORTS[now.drawn].kinds if kind in weights]
sizes: dict[Kind, tuple[int, int]] = {kind: (weights[kind].shape[0], weights[kind].shape[1]) for kind in drawable}
heads, n_heads = every_head(sizes), weights[now.kind].shape[1]


def name(code: str) -> str:
    """A head as the picker and the titles call it."""
    return f"{say(f'kind.{heads[code].kind}')} {heads[code].title}"


# The link holds codes, which mean the same in every language; a bound widget would write its labels there.
state, link = st.session_state, st.query_params.get("heads")
is_old = link is None or link == state.get("_heads_link")
asked = state.get("heads", [""]) if is_old else str(link).split(",")
opening = list(dict.fromkeys(now.head._replace(head=(now.head.head + by) % n_heads).code for by in (0, 1)))
state["heads"] = chosen_heads(asked, heads) or (chosen_heads(opening, heads) if asked else [])

pick, switches = st.columns([3, 2], vertical_alignment="bottom")
codes = pick.multiselect(
    say("side_by_side.heads"),
    list(heads),
    format_func=name,
    key="heads",
    max_selections=MOST_HEADS,
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
    comparable = len(codes) == FEWEST and heads[codes[0]].kind == heads[codes[1]].kind
    difference = st.toggle(
        say("side_by_side.difference"),
        key="difference",
        help=say("side_by_side.difference.help"),
        disabled=not comparable,
        bind="query-params",
    )
if len(codes) < FEWEST:
    chart.lead("side_by_side.pick")
if not codes:
    end_view()

every = {kind: drawing.drawing(now, kind) for kind in dict.fromkeys(heads[code].kind for code in codes)}
maps = [LinkedMap(name(code), *heads[code], every[heads[code].kind].head(heads[code]).reading) for code in codes]
if comparable and difference:
    first, second = maps
    gap = first.reading.weights - second.reading.weights
    title = " − ".join(heads[code].title for code in codes)
    reading = Reading(gap, first.reading.rows, first.reading.columns)
    maps.append(LinkedMap(title, first.kind, first.layer, first.head, reading, difference=True))
linked_maps(
    maps,
    theme=now.theme,
    labels=within("side_by_side", legend=say("side_by_side.legend", drawn=drawing.name(now))),
    key="linked",
    common_maximum=common,
    high=max(each.high for each in every.values()),
    signed=any(each.is_signed for each in every.values()),
)
drawing.meaning(now, cross="cross" in every)
named = [(each.title, each.reading) for each in maps]
asked = take_away.shown(now, [heads[code] for code in codes], gap=len(maps) > len(codes))
take_away.take_away(now, replace(asked, own_scale=False), named, "headlight-heads")
