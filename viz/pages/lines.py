"""One layer, or every head, as lines between tokens: BertViz's head view and model view."""

from __future__ import annotations

import html
from urllib.parse import clear_cache  # type: ignore[attr-defined]

import streamlit as st

from model.analysis.reading import read
from viz import session
from viz.figures.bertviz_views import BertVizError, Lines, bertviz_version, head_view, model_view
from viz.session import say

VIEWS = ("head", "model")
TEXTS = ("rows", "columns", "head", "heads", "layers", "squares", "failed")

now = session.view()
trace = session.translation().trace
assert trace is not None  # session.translation() always captures
reading = read(trace.weights[now.kind], *trace.axis_labels(now.kind), now.words, now.hide_special)

with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
    drawn = st.segmented_control(
        say("lines.view"),
        VIEWS,
        default=VIEWS[0],
        format_func=lambda name: say(f"lines.view.{name}"),
        key="lines",
        required=True,
        label_visibility="collapsed",
        bind="query-params",
    )
    st.html(f'<p class="hl-lead">{html.escape(say(f"lines.lead.{drawn}"))}</p>')
if not reading.weights.size:
    st.info(say("lines.empty"))
    st.stop()

lines = Lines(reading.weights, [label.text for label in reading.rows], [label.text for label in reading.columns])
strongest = ", ".join(f"{row} → {key} {weight:.2f}" for row, key, weight in lines.strongest(now.layer, now.head, 5))
summary = say("lines.strongest", head=f"L{now.layer} H{now.head}", kind=say(f"kind.{now.kind}"), lines=strongest)
texts = {name: say(f"lines.{name}") for name in TEXTS} | {"summary": summary}
try:
    credit = say("lines.credit", version=bertviz_version())
    if drawn == "head":
        drawing = head_view(lines, theme=session.theme(), layer=now.layer, shown=[now.head], say=texts)
        weakest = lines.only(now.layer).weakest()
    else:
        drawing = model_view(lines, theme=session.theme(), layer=now.layer, head=now.head, say=texts)
        weakest = lines.weakest()
except BertVizError as error:
    st.html(f'<p role="alert" class="hl-error">{html.escape(say("lines.unavailable", message=error))}</p>')
    st.stop()

# Streamlit asks urllib whether the document is a URL, and urllib's cache would keep 128 of them, four times each.
st.iframe(drawing.html, height=drawing.height, alt=summary)
clear_cache()
st.html(f'<p class="hl-alt">{html.escape(summary)}</p>')
if weakest > 0.002:
    st.html(f'<p class="hl-alt">{html.escape(say("lines.weakest", weakest=f"{weakest:.3f}"))}</p>')
st.caption(credit)
