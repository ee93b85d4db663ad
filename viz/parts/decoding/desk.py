"""The mixing desk as other views use it."""

from __future__ import annotations

import streamlit as st

from model.trace import HeadRef, Kind
from viz.state.codes.mix import format_mix
from viz.state.going import open_view
from viz.state.models import ModelEntry, current


def desk_sizes(model: ModelEntry) -> dict[Kind, tuple[int, int]]:
    """Layers and heads of each kind of a model."""
    return {kind: (each.layers, each.heads) for kind, each in model.facts.anatomy.kinds.items()}


def mute_on_desk(head: HeadRef) -> None:
    """Go to the desk with this head alone muted; to be called in a widget's callback."""
    st.session_state["mix"] = format_mix({head: 0.0}, desk_sizes(current()))
    open_view("mixing_desk")
