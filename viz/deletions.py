"""Cached answers to what deleting words costs: short wrappers, keyed by plain strings and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from model.analysis.faithful_table import load_faithfulness
from viz import session

if TYPE_CHECKING:
    from model.analysis.deletion import LeftOut
    from model.analysis.honesty import Honesty


@st.cache_resource(max_entries=64, show_spinner=False)
def left_out(sentence: str, checkpoint: str, beam: int, forced_ids: tuple[int, ...]) -> LeftOut:
    """What deleting each source word costs each written token."""
    from model.analysis.deletion import leave_one_out

    translation = session.translated(sentence, checkpoint, beam, forced_ids)
    return leave_one_out(session.translator(checkpoint), translation)


@st.cache_data(max_entries=16, show_spinner=False)
def faithfulness(checkpoint: str, sha256: str) -> tuple[dict[str, Any] | None, str]:
    """The table of faithfulness that comes with a checkpoint, where it is of these weights, and what is wrong else."""
    return load_faithfulness(checkpoint, sha256)


@st.cache_resource(max_entries=128, show_spinner=False)
def words_honesty(
    sentence: str,
    checkpoint: str,
    beam: int,
    forced_ids: tuple[int, ...],
    importance: tuple[float, ...],
    token: int | None,
) -> Honesty:
    """What deleting the words of the highest importance costs the translation, or one written token."""
    from model.analysis.honesty import honesty_of_words

    translation = session.translated(sentence, checkpoint, beam, forced_ids)
    return honesty_of_words(session.translator(checkpoint), translation, np.array(importance), token)
