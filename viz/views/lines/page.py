"""One layer, or every head, as lines between tokens: BertViz's head view and model view."""

from __future__ import annotations

from urllib.parse import clear_cache  # type: ignore[attr-defined]

import streamlit as st

from viz.charts.lines.bertviz_code import BertVizError, bertviz_version
from viz.charts.markup import alert, line
from viz.core.language import language, say
from viz.core.session import current_session
from viz.views.lines.bertviz_views import Lines, head_view, model_view
from viz.widgets import chart
from viz.widgets import map_choice as drawing
from viz.widgets.bar import bar
from viz.widgets.errors import end_view
from viz.widgets.picker import pick

TEXTS = ("rows", "columns", "head", "heads", "layers", "squares", "failed")

now = current_session()
if not drawing.is_drawn(now, now.kind):
    end_view()
reading = drawing.reading(now, now.kind)

with bar():
    method = pick("lines", labelled=False)
if not reading.weights.size:
    st.info(say("lines.empty"))
    end_view()

values, strength = drawing.strengths(now, reading.weights)
lines = Lines(values, [label.text for label in reading.rows], [label.text for label in reading.columns])
strongest = ", ".join(f"{row} → {key} {weight:.2f}" for row, key, weight in lines.strongest(*now.head[1:], 5))
whose = drawing.whose(now, now.head.title) + ("" if now.method == "weights" else f" · {strength}")
summary = say("lines.strongest", head=whose, kind=say(f"kind.{now.kind}"), lines=strongest)
texts = {name: say(f"lines.{name}") for name in TEXTS} | {
    "summary": summary,
    "title": say("page.lines"),
    "lang": language(),
}
try:
    credit = say("lines.credit", version=bertviz_version())
    if method == "head":
        picture = head_view(lines, theme=now.theme, layer=now.head.layer, shown=[now.head.head], say=texts)
        weakest = lines.only(now.head.layer).weakest()
    else:
        picture = model_view(lines, theme=now.theme, layer=now.head.layer, head=now.head.head, say=texts)
        weakest = lines.weakest()
except BertVizError as error:
    st.html(alert(say("lines.unavailable", message=error)))
    end_view()

# Streamlit asks urllib whether the document is a URL, and urllib's cache would keep 128 of them, four times each.
st.iframe(picture.html, height=picture.height, alt=summary)
clear_cache()
chart.lead(f"lines.lead.{method}")
st.html(line("alt", summary))
if weakest > 0.002:
    st.html(line("alt", say("lines.weakest", weakest=f"{weakest:.3f}")))
drawing.meaning(now, cross=now.kind == "cross")
st.caption(credit)
