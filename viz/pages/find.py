"""Find a head by the pattern of its map, chosen or painted; and the heads that are like one."""

from __future__ import annotations

import html
from typing import Any

import streamlit as st

from viz import chart, head_facts, head_search, session
from viz.components.head_list import LABELS as LIST_LABELS
from viz.components.head_list import head_list
from viz.components.pattern_grid import LABELS as GRID_LABELS
from viz.components.pattern_grid import pattern_grid
from viz.head_facts import SCOPES
from viz.head_search import CHOICES, PAINTED
from viz.pattern_code import parse_pattern
from viz.session import say

MOST, ALIKE = 12, 5
now = session.view()


def painted(code: str) -> None:
    """Write what was painted into the link."""
    st.session_state.update(paint=code, pattern=PAINTED)


with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
    pattern = chart.pick("pattern", "pattern", CHOICES, explained=False)
    scope = chart.pick("scope", "scope", SCOPES, explained=False)
code = str(st.session_state.get("paint", ""))
cells = parse_pattern(code)
maps = head_search.readings()
measured = head_search.over_corpus(pattern, code) if scope == "corpus" else None
scores, about = measured or (head_search.on_sentence(maps, pattern, cells), say("find.here"))
heads = head_search.best(scores, MOST, "find.match")
labels = {name: say(f"heads.{name}") for name in LIST_LABELS}
place = (now.kind, now.layer, now.head)
shared: dict[str, Any] = {"theme": session.theme(), "on_open": session.choose_head}

chart.lead("find.lead")
left, right = st.columns([1, 3.4], gap="medium")
with left:
    pattern_grid(
        head_search.shown_pattern(pattern, cells),
        theme=session.theme(),
        labels={name: say(f"find.{name}") for name in GRID_LABELS},
        key="pattern_grid",
        on_paint=painted,
    )
with right:
    opened = head_list(heads, maps, labels=labels | {"list": say("find.list")}, key="matches", selected=place, **shared)
    if not heads:
        chart.lead("find.nothing")
    meaning = say("find.score.uniform" if pattern == "uniform" else "find.score")
    st.html(f'<p class="hl-alt">{html.escape(f"{meaning} {about}")}</p>')

name = head_facts.title(place)
st.subheader(say("find.like", head=name), anchor=False)
likeness, how = head_search.like(maps, place, scope)
others = head_search.best(likeness, ALIKE, "find.alike", but=place)
labels["list"] = say("find.like", head=name)
similar = head_list(others, maps, labels=labels, key="alike", **shared)
st.html(f'<p class="hl-alt">{html.escape(how)}</p>')
if opened or similar:
    st.switch_page("viz/pages/one_head.py", query_params=[])
