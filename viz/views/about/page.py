"""What the chosen checkpoint is: sizes, scores, training curves, data and credits."""

from __future__ import annotations

import json
from collections.abc import Mapping

import streamlit as st

from viz.charts.markup import line
from viz.charts.training_curves import TrainingText, training_curves
from viz.core.language import say
from viz.core.session import current_session
from viz.widgets.chart import draw_row


def show(values: Mapping[str, object]) -> None:
    """A table of names, as they stand in the checkpoint's files, and their values."""
    rows = [{say("about.name"): key, say("about.value"): str(value)} for key, value in values.items()]
    st.dataframe(rows, hide_index=True, height="content")


now = current_session()
meta, config = now.model.meta, now.model.config
data = meta.get("data", {})

st.subheader(say("about.title"))
st.html(line("lead", f"{say('about.lead')} {say('about.offline')}"))
sizes, scores = st.columns(2)
with sizes:
    st.markdown(f"**{say('about.sizes')}**")
    show(config)
with scores:
    st.markdown(f"**{say('about.scores')}**")
    show(meta.get("scores", {}))
    st.text(say("about.sha", sha=meta.get("sha256", "?")))

st.markdown(f"**{say('about.curves')}**")
if log := now.model.training_log:
    draw_row(training_curves(log, TrainingText.said_by(say)), "about.curves")
else:
    st.text(say("about.nolog"))
if settings := meta.get("training"):
    with st.expander(say("about.settings")):
        show({key: json.dumps(value) if isinstance(value, dict) else value for key, value in settings.items()})
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
    for name, pairs in data.get("pairs_by_source", data.get("sentences_by_source", {})).items()
]
st.dataframe(table, hide_index=True, height="content")
