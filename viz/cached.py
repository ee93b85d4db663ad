"""Cached answers of the model to the views' questions: short wrappers, keyed by plain strings and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from viz import session

if TYPE_CHECKING:
    from model.analysis.beam_tree import BeamTree
    from model.analysis.steps import Step
    from model.analysis.votes import Votes
    from model.decoding import Hypothesis
    from model.trace import Translation


@st.cache_resource(max_entries=64, show_spinner=False)
def steps(sentence: str, checkpoint: str, ids: tuple[int, ...], n: int) -> list[Step]:
    """Every step of writing these target ids, with its ``n`` best candidates."""
    from model.analysis.steps import decoding_steps

    return decoding_steps(session.translator(checkpoint), sentence, ids, n)


@st.cache_resource(max_entries=32, show_spinner=False)
def tree(sentence: str, checkpoint: str, beam: int) -> tuple[BeamTree, list[Hypothesis]]:
    """All that beam search looked at, and what it finished, best first."""
    from model.analysis.beam_tree import grown_tree

    return grown_tree(session.translator(checkpoint), sentence, beam)


@st.cache_resource(max_entries=128, show_spinner=False)
def continued(sentence: str, checkpoint: str, beam: int, prefix: tuple[int, ...] = ()) -> Translation:
    """The translation that starts with these target ids; without its maps."""
    return session.translator(checkpoint).translate(sentence, beam, prefix=prefix)


@st.cache_resource(max_entries=64, show_spinner=False)
def sampled(sentence: str, checkpoint: str, temperature: float, top_k: int, top_p: float, seed: int) -> Translation:
    """A translation whose tokens were drawn; without its maps."""
    from model.sampling import Sampling

    settings = Sampling(temperature, top_k, top_p, seed)
    return session.translator(checkpoint).translate(sentence, sampling=settings)


@st.cache_resource(max_entries=64, show_spinner=False)
def votes(sentence: str, checkpoint: str, before: tuple[int, ...], for_id: int, against_id: int) -> Votes:
    """Who voted for one token against another after the target ids ``before``."""
    from model.analysis.fork import fork_votes

    return fork_votes(session.translator(checkpoint), sentence, before, for_id, against_id)
