"""The mixing desk as other views use it."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from model.trace import HeadRef, Kind
from viz.core.codes.mix import format_mix, parse_mix
from viz.core.going import open_view
from viz.core.models import ModelEntry, current


def desk_sizes(model: ModelEntry) -> dict[Kind, tuple[int, int]]:
    """Layers and heads of each kind of a model."""
    return {kind: (each.layers, each.heads) for kind, each in model.facts.anatomy.kinds.items()}


def desk_gains(model: ModelEntry) -> dict[HeadRef, float]:
    """The gains other than 1 that the link names."""
    return parse_mix(str(st.session_state.get("mix", "")), desk_sizes(model))


def set_desk_gains(model: ModelEntry, gains: Mapping[HeadRef, float]) -> None:
    """Write gains into the link; to be called in a widget's callback."""
    st.session_state["mix"] = format_mix(gains, desk_sizes(model))


def mute_on_desk(head: HeadRef) -> None:
    """Go to the desk with this head alone muted; to be called in a widget's callback."""
    set_desk_gains(current(), {head: 0.0})
    open_view("mixing_desk")
