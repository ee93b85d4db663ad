"""Cached answers about heads: their roles, their table, and the stored examples that patterns are compared with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from model.analysis.patterns import stored_likeness, stored_matches
from model.examples import load_example
from model.folders import resolve
from model.head_table import FILE, HeadTable, load_head_table
from model.trace import KINDS, AttentionTrace, Kind
from viz import session
from viz.pattern_code import parse_pattern

if TYPE_CHECKING:
    import numpy as np

    from model.analysis.roles import Profile


@st.cache_resource(max_entries=64, show_spinner=False)
def profiles(sentence: str, checkpoint: str, beam: int, forced_ids: tuple[int, ...] = ()) -> dict[Kind, Profile]:
    """What every head does in a sentence, by kind."""
    from model.analysis.corpus_heads import rarity_of
    from model.analysis.roles import profile

    trace = session.translated(sentence, checkpoint, beam, forced_ids).trace
    assert trace is not None
    rarity = rarity_of(session.translator(checkpoint), sentence)
    return {kind: profile(trace, kind, rarity) for kind in KINDS}


def head_table(checkpoint: str) -> HeadTable | None:
    """What every head does over a corpus, as it lies beside the weights; None where there is no such file."""
    path = resolve(checkpoint) / FILE
    return _head_table(str(path), path.stat().st_mtime_ns) if path.is_file() else None


@st.cache_resource(max_entries=8, show_spinner=False)
def _head_table(path: str, written: int) -> HeadTable | None:
    return load_head_table(Path(path).parent)


@st.cache_resource(max_entries=4, show_spinner=False)
def stored_traces(checkpoint: str) -> tuple[AttentionTrace, ...]:
    """Maps of the example sentences that are stored with a checkpoint's present weights."""
    path, sha256 = resolve(checkpoint), str(session.meta(checkpoint).get("sha256"))
    stored = [load_example(path, sentence, sha256) for sentence in session.example_sentences(checkpoint)]
    return tuple(each.trace for each in stored if each is not None and each.trace is not None)


@st.cache_resource(max_entries=64, show_spinner=False)
def example_matches(checkpoint: str, pattern: str, code: str) -> dict[Kind, np.ndarray]:
    """Mean match of every head with a named or painted pattern on the stored examples, [L, H] by kind."""
    return stored_matches(stored_traces(checkpoint), pattern, parse_pattern(code))


@st.cache_resource(max_entries=64, show_spinner=False)
def example_likeness(checkpoint: str, kind: Kind, layer: int, head: int) -> np.ndarray:
    """How alike the heads of a kind are to one of them on the stored examples, on the mean: [L, H]."""
    return stored_likeness(stored_traces(checkpoint), kind, layer, head)
