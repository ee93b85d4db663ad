"""What the chosen checkpoint is: sizes, scores, training curves, data and credits."""

from __future__ import annotations

import json

import streamlit as st

from viz.figures.lessons.training import TrainingText, training_curves
from viz.figures.markup import line
from viz.state import checkpoints
from viz.state.language import say
from viz.state.view import view

now = view()
meta, config = checkpoints.meta(now.checkpoint), checkpoints.config(now.checkpoint)
data = meta.get("data", {})

st.subheader(say("about.title"))
st.html(line("lead", f"{say('about.lead')} {say('about.offline')}"))
sizes, scores = st.columns(2)
with sizes:
    st.markdown(f"**{say('about.sizes')}**")
    st.dataframe([{"": key, " ": str(value)} for key, value in config.items()], hide_index=True, height="content")
with scores:
    st.markdown(f"**{say('about.scores')}**")
    rows = [{"": key, " ": str(value)} for key, value in meta.get("scores", {}).items()]
    st.dataframe(rows, hide_index=True, height="content")
    st.text(say("about.sha", sha=meta.get("sha256", "?")))

st.markdown(f"**{say('about.curves')}**")
if log := checkpoints.training_log(now.checkpoint):
    st.plotly_chart(training_curves(log, now.theme, TrainingText.said_by(say)), theme=None, key="curves")
else:
    st.text(say("about.nolog"))
if settings := meta.get("training"):
    with st.expander(say("about.settings")):
        said = {key: json.dumps(value) if isinstance(value, dict) else str(value) for key, value in settings.items()}
        st.dataframe([{"": key, " ": value} for key, value in said.items()], hide_index=True, height="content")
        st.code(meta.get("command", ""), language=None, wrap_lines=True)

credits = data.get("credits", {})
st.markdown(f"**{say('about.data')}**")
if licence := credits.get("weights_licence"):
    st.text(say("about.licence", licence=licence))
table = [
    {
        say("about.source"): name,
        say("about.pairs"): pairs,
        say("about.license"): credits.get("sources", {}).get(name, {}).get("licence", ""),
        say("about.credit"): credits.get("sources", {}).get(name, {}).get("credit", ""),
    }
    for name, pairs in data.get("pairs_by_source", {}).items()
]
st.dataframe(table, hide_index=True, height="content")
