"""Find a head by the pattern of its map, chosen or painted; and the heads that are like one."""

from __future__ import annotations

from typing import Any

import streamlit as st

from viz.charts.markup import line
from viz.core.codes.choices import ALIGNED, PAINTED
from viz.core.codes.pattern import parse_pattern
from viz.core.going import open_head
from viz.core.language import say, within
from viz.core.session import current_session
from viz.views.find import head_search
from viz.views.find.pattern_grid import pattern_grid
from viz.widgets import chart, head_facts
from viz.widgets.bar import bar
from viz.widgets.head_list import head_list
from viz.widgets.picker import pick

MOST, ALIKE = 12, 5
now = current_session()


def painted(code: str) -> None:
    """Write what was painted into the link."""
    st.session_state.update(paint=code, pattern=PAINTED)


with bar():
    pattern = pick("pattern", labelled=False, as_list=True, width=170)
    scope = pick("scope", labelled=False)
code = str(st.session_state.get("paint", ""))
cells = parse_pattern(code)
maps = head_facts.readings(now)
if pattern == ALIGNED:
    scores, about = head_search.aligners(now.model)
else:
    measured = head_search.over_corpus(now.checkpoint, pattern, code) if scope == "corpus" else None
    scores, about = measured or (head_search.on_sentence(maps, pattern, cells), say("find.here"))
heads = head_search.best(scores, MOST, "find.match")
shared: dict[str, Any] = {"theme": now.theme, "on_open": open_head}

left, right = st.columns([1, 3.4], gap="medium")
with left:
    pattern_grid(
        head_search.shown_pattern(pattern, cells),
        theme=now.theme,
        labels=within("find"),
        key="pattern_grid",
        on_paint=painted,
    )
with right:
    head_list(heads, maps, labels=within("heads", list=say("find.list")), key="matches", selected=now.head, **shared)
    if not heads:
        chart.lead("find.nothing")
    meaning = say(f"find.score.{pattern}" if pattern in ("uniform", ALIGNED) else "find.score")
    st.html(line("alt", f"{meaning} {about}"))
    chart.lead("find.lead")

name = head_facts.title(now.head)
st.subheader(say("find.like", head=name), anchor=False)
likeness, how = head_search.like(now.checkpoint, maps, now.head, scope)
others = head_search.best(likeness, ALIKE, "find.alike", but=now.head)
head_list(others, maps, labels=within("heads", list=say("find.like", head=name)), key="alike", **shared)
st.html(line("alt", how))
