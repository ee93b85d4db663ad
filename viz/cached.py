"""Cached answers of the model to the views' questions: short wrappers, keyed by plain strings and numbers."""

from __future__ import annotations

import streamlit as st

from model.analysis.steps import Step
from viz import session


@st.cache_resource(max_entries=64, show_spinner=False)
def steps(sentence: str, checkpoint: str, ids: tuple[int, ...], n: int) -> list[Step]:
    """Every step of writing these target ids, with its ``n`` best candidates."""
    from model.analysis.steps import decoding_steps

    return decoding_steps(session.translator(checkpoint), sentence, ids, n)
