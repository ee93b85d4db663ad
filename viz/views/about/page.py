"""What the chosen checkpoint is: sizes, scores, training curves, data and credits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from viz.charts.markup import line
from viz.charts.plain_shapes import TrainingText, training_curves
from viz.core.choice import say
from viz.core.session import Session
from viz.widgets.chart import draw_row


def show(values: Mapping[str, object]) -> None:
    """A table of names, as they stand in the checkpoint's files, and their values."""
    rows = [{say("about.name"): key, say("about.value"): str(value)} for key, value in values.items()]
    st.dataframe(rows, hide_index=True, height="content")


def credit_rows(data: Mapping[str, Any]) -> list[dict[str, str]]:
    """A row a source: pairs, licence, credit."""
    sources = data.get("credits", {}).get("sources", {})
    return [
        {
            say("about.source"): name,
            say("about.pairs"): pairs,
            say("about.license"): sources.get(name, {}).get("licence", ""),
            say("about.credit"): sources.get(name, {}).get("credit", ""),
        }
        for name, pairs in data.get("pairs_by_source", data.get("sentences_by_source", {})).items()
    ]


def draw_training(session: Session) -> None:
    """The curves of its training, and its settings."""
    meta = session.model.meta
    st.markdown(f"**{say('about.curves')}**")
    if log := session.model.training_log:
        draw_row(training_curves(log, TrainingText.said_by(say)), "about.curves")
    else:
        st.text(say("about.nolog"))
    if settings := meta.get("training"):
        with st.expander(say("about.settings")):
            show({key: json.dumps(value) if isinstance(value, dict) else value for key, value in settings.items()})
            st.code(meta.get("command", ""), language=None, wrap_lines=True)


def view(session: Session) -> None:
    """What the chosen checkpoint is."""
    meta = session.model.meta
    st.subheader(say("about.title"))
    st.html(line("lead", f"{say('about.lead')} {say('about.offline')}"))
    sizes, scores = st.columns(2)
    with sizes:
        st.markdown(f"**{say('about.sizes')}**")
        show(session.model.config)
    with scores:
        st.markdown(f"**{say('about.scores')}**")
        show(meta.get("scores", {}))
        st.text(say("about.sha", sha=meta.get("sha256", "?")))
    draw_training(session)
    data = meta.get("data", {})
    st.markdown(f"**{say('about.data')}**")
    if licence := data.get("credits", {}).get("weights_licence"):
        st.text(say("about.licence", licence=licence))
    st.dataframe(credit_rows(data), hide_index=True, height="content")
