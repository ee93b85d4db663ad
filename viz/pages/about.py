"""What the chosen checkpoint is: sizes, scores, training curves, data and credits."""

from __future__ import annotations

import streamlit as st

from viz import session
from viz.figures.training import TrainingText, training_curves
from viz.session import say

now = session.view()
meta, config = session.meta(now.checkpoint), session.config(now.checkpoint)
data = meta.get("data", {})

st.subheader(say("about.title"))
st.html(f'<p class="hl-lead">{say("about.lead")} {say("about.offline")}</p>')
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
if log := session.training_log(now.checkpoint):
    st.plotly_chart(training_curves(log, session.theme(), TrainingText.said_by(say)), theme=None, key="curves")
else:
    st.text(say("about.nolog"))

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
