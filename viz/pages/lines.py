"""One layer, or every head, as lines between tokens: BertViz's head view and model view."""

from __future__ import annotations

import html
from urllib.parse import clear_cache  # type: ignore[attr-defined]

import streamlit as st

from viz import drawing, session
from viz.figures.bertviz_views import BertVizError, Lines, bertviz_version, head_view, model_view
from viz.session import say

VIEWS = ("head", "model")
TEXTS = ("rows", "columns", "head", "heads", "layers", "squares", "failed")

now = session.view()
reading = drawing.drawing(now.kind).reading

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

values, strength = drawing.strengths(reading.weights, now.drawn)
lines = Lines(values, [label.text for label in reading.rows], [label.text for label in reading.columns])
strongest = ", ".join(f"{row} → {key} {weight:.2f}" for row, key, weight in lines.strongest(now.layer, now.head, 5))
whose = drawing.whose(f"L{now.layer} H{now.head}") + ("" if now.drawn == "weights" else f" · {strength}")
summary = say("lines.strongest", head=whose, kind=say(f"kind.{now.kind}"), lines=strongest)
texts = {name: say(f"lines.{name}") for name in TEXTS} | {"summary": summary}
try:
    credit = say("lines.credit", version=bertviz_version())
    if drawn == "head":
        picture = head_view(lines, theme=session.theme(), layer=now.layer, shown=[now.head], say=texts)
        weakest = lines.only(now.layer).weakest()
    else:
        picture = model_view(lines, theme=session.theme(), layer=now.layer, head=now.head, say=texts)
        weakest = lines.weakest()
except BertVizError as error:
    st.html(f'<p role="alert" class="hl-error">{html.escape(say("lines.unavailable", message=error))}</p>')
    st.stop()

# Streamlit asks urllib whether the document is a URL, and urllib's cache would keep 128 of them, four times each.
st.iframe(picture.html, height=picture.height, alt=summary)
clear_cache()
st.html(f'<p class="hl-alt">{html.escape(summary)}</p>')
if weakest > 0.002:
    st.html(f'<p class="hl-alt">{html.escape(say("lines.weakest", weakest=f"{weakest:.3f}"))}</p>')
drawing.meaning(now, cross=now.kind == "cross")
st.caption(credit)
