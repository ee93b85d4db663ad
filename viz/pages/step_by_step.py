"""How the translation came about: token by token, with what was looked at and what else could have been written."""

from __future__ import annotations

import streamlit as st

from model.analysis.reading import Reading, merge_columns
from viz import cached, chart, combined, session
from viz.components.playback import LABELS, Played, playback, reported_step
from viz.session import say

CANDIDATES = 5
now = session.view()
translation, trace = session.translation(), session.trace()
chosen = combined.combination(now)
chart.lead("steps.lead")
steps = cached.steps(now.text, now.checkpoint, translation.tgt_ids, CANDIDATES)
if not translation.finished:
    steps = steps[: max(1, len(translation.tgt))]
    chart.lead("steps.unfinished")

rows = len(steps)
cross = Reading(chosen.of(trace.cross, "cross"), trace.tgt_outputs, trace.src)
if now.words:
    cross = merge_columns(cross)
sizes = session.config(now.checkpoint)
played = Played(
    steps=steps,
    src=cross.columns,
    reads=trace.tgt_inputs[:rows],
    writes=trace.tgt_outputs[:rows],
    cross=cross.weights[:rows],
    own=chosen.of(trace.decoder_self, "decoder_self")[:rows, :rows],
    positions=len(trace.src),
    d_model=sizes["d_model"],
    d_head=sizes["d_model"] // sizes["n_heads"],
)
heads = chosen.name
labels = {label: say(f"steps.{label}") for label in LABELS}
labels |= {label: say(f"steps.{label}", heads=heads) for label in ("cross", "own")}


@st.fragment
def play() -> None:
    """The player; where it stands is written into the link without running the page again."""
    link = st.query_params.get("step")
    start = reported_step(link, rows) or 1
    step = playback(played, start=start, theme=session.theme(), labels=labels, key="playback")
    if str(step) != (link or "1"):
        st.query_params["step"] = str(step)


play()
