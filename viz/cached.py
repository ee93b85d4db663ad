"""Cached answers of the model to the views' questions: short wrappers, keyed by plain strings and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from viz import session

if TYPE_CHECKING:
    import numpy as np

    from model.analysis.beam_tree import BeamTree
    from model.analysis.drawn import Drawn
    from model.analysis.flow import Shares
    from model.analysis.gold import GoldPair
    from model.analysis.importance import Ablation
    from model.analysis.inside_proof import HeadProof
    from model.analysis.lens import Lens, Promotion
    from model.analysis.mixing import Mix
    from model.analysis.neighbours import Neighbour
    from model.analysis.scaling import Growth
    from model.analysis.steps import Step
    from model.analysis.votes import Votes
    from model.decoding import Hypothesis
    from model.interventions import Head
    from model.trace import Kind, Translation


@st.cache_resource(max_entries=24, show_spinner=False)
def drawn_maps(
    sentence: str, checkpoint: str, beam: int, forced_ids: tuple[int, ...], drawn: Drawn, step: int | None
) -> dict[Kind, np.ndarray]:
    """Maps of every head, made of something else than weights."""
    from model.analysis.drawn import drawn_maps as made
    from model.analysis.drawn import times_weights

    translation = session.translated(sentence, checkpoint, beam, forced_ids)
    if drawn == "gradient_weight":
        assert translation.trace is not None
        return times_weights(drawn_maps(sentence, checkpoint, beam, forced_ids, "gradient", step), translation.trace)
    return made(session.translator(checkpoint), translation, drawn, step)


@st.cache_resource(max_entries=32, show_spinner=False)
def flow_shares(sentence: str, checkpoint: str, beam: int, forced_ids: tuple[int, ...], measure: str) -> Shares:
    """Which part of each state came from which state below it, by attention weights or by norms."""
    translation = session.translated(sentence, checkpoint, beam, forced_ids)
    assert translation.trace is not None
    if measure == "norms":
        from model.analysis.flow_norms import norm_shares

        return norm_shares(session.translator(checkpoint), translation)
    from model.analysis.flow import weight_shares

    return weight_shares(translation.trace)


@st.cache_resource(max_entries=32, show_spinner=False)
def lens(sentence: str, checkpoint: str, beam: int, forced_ids: tuple[int, ...], n: int) -> Lens:
    """What each decoder layer would have written, with its ``n`` best candidates."""
    from model.analysis.lens import lens as seen_through

    return seen_through(session.translator(checkpoint), session.translated(sentence, checkpoint, beam, forced_ids), n)


@st.cache_resource(max_entries=256, show_spinner=False)
def promoted(
    sentence: str,
    checkpoint: str,
    beam: int,
    forced_ids: tuple[int, ...],
    n: int,
    kind: Kind,
    layer: int,
    head: int,
    step: int,
    k: int,
) -> Promotion:
    """The ``k`` tokens whose logits a decoder head raises, and lowers, most at a step; ``n`` as for ``lens``."""
    from model.analysis.lens import promoted as most_moved

    found = lens(sentence, checkpoint, beam, forced_ids, n)
    return most_moved(session.translator(checkpoint), found, kind, layer, head, step, k)


@st.cache_resource(max_entries=64, show_spinner=False)
def ablation(sentence: str, checkpoint: str, ids: tuple[int, ...], finished: bool = True) -> Ablation:
    """What muting each head costs these target ids."""
    from model.analysis.importance import ablate_ids

    return ablate_ids(session.translator(checkpoint), sentence, ids, finished)


def importance(sentence: str, checkpoint: str, ids: tuple[int, ...], finished: bool = True) -> dict[Kind, np.ndarray]:
    """Importance of every head for these target ids, in nats, by kind: [L, H]."""
    return ablation(sentence, checkpoint, ids, finished).importance


@st.cache_resource(max_entries=32, show_spinner=False)
def word_maps(
    sentence: str, checkpoint: str, beam: int, forced_ids: tuple[int, ...]
) -> tuple[list[str], list[str], np.ndarray]:
    """Words of a sentence and its translation, and every map over them that can link them."""
    from model.analysis.alignment import translation_maps

    translation = session.translated(sentence, checkpoint, beam, forced_ids)
    return translation_maps(session.translator(checkpoint), translation)


@st.cache_resource(max_entries=8, show_spinner=False)
def truth_pairs(checkpoint: str) -> list[GoldPair]:
    """The pairs whose alignment is known, for a checkpoint."""
    from model.analysis.truth import truth_pairs as pairs

    return pairs(str(session.meta(checkpoint).get("src_tokenizer")))


@st.cache_resource(max_entries=64, show_spinner=False)
def truth_maps(checkpoint: str, number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every map over the words of one such pair, its target forced; the error rates of the links they make;
    and how many tokens each target word has."""
    from model.analysis.alignment import pair_maps, tokens_per_word
    from model.analysis.error_table import ErrorTable

    sizes, pair = session.config(checkpoint), truth_pairs(checkpoint)[number]
    maps = pair_maps(session.translator(checkpoint), pair)
    table = ErrorTable(sizes["n_decoder_layers"], sizes["n_heads"])
    table.add(maps, pair)
    return maps, table.rates, tokens_per_word(session.translator(checkpoint), pair)


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


@st.cache_resource(max_entries=64, show_spinner=False)
def mix(sentence: str, checkpoint: str, beam: int, gains: tuple[tuple[Head, float], ...]) -> Mix:
    """What changed heads do to the translation."""
    from model.analysis.mixing import mix as mixed

    return mixed(session.translator(checkpoint), continued(sentence, checkpoint, beam), dict(gains), beam)


@st.cache_resource(max_entries=32, show_spinner=False)
def head_steps(sentence: str, checkpoint: str, ids: tuple[int, ...], kind: Kind, layer: int, head: int) -> HeadProof:
    """The six steps of one head while these target ids are written, and how exactly they give the model's numbers."""
    from model.analysis.inside_proof import proven_steps

    return proven_steps(session.translator(checkpoint), sentence, ids, kind, layer, head)


@st.cache_resource(max_entries=256, show_spinner=False)
def near(word: str, checkpoint: str, n: int) -> list[Neighbour]:
    """The ``n`` words nearest to a word in source-embedding space; none where it is spelt in pieces."""
    from model.analysis.neighbours import neighbours
    from model.tokenize import EnglishTokenizer

    translator = session.translator(checkpoint)
    tokenizer = translator.src_tokenizer
    return neighbours(translator.model, tokenizer, word, n) if isinstance(tokenizer, EnglishTokenizer) else []


@st.cache_resource(max_entries=1, show_spinner=False)
def growth() -> Growth:
    """Random dot products and what softmax makes of them, as d_k grows."""
    from model.analysis import scaling

    return scaling.growth()
