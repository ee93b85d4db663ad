"""Heads that changed, and heads of two models that are alike: maps made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from model.analysis.heads.over_time import changed_heads, matched
from model.trace import AttentionTrace, Label

EOS, BOS = Label("<eos>"), Label("<bos>")


def words(text: str) -> tuple[Label, ...]:
    places = [text.index(word) for word in text.split()]
    return tuple(Label(w, n, at, at + len(w)) for n, (w, at) in enumerate(zip(text.split(), places, strict=True)))


def trace(src: str, tgt: str, cross: np.ndarray) -> AttentionTrace:
    """A trace with these cross maps [L, H, T, S]; everything else is even."""
    sources, targets = (*words(src), EOS), words(tgt)
    s, t = len(sources), len(targets) + 1
    weights = {
        "encoder_self": np.full((1, 2, s, s), 1 / s, np.float32),
        "decoder_self": np.tril(np.ones((1, 2, t, t), np.float32)) / np.arange(1, t + 1)[:, None],
        "cross": cross.astype(np.float32),
    }
    return AttentionTrace(sources, (BOS, *targets), (*targets, EOS), weights, {})


def on(columns: list[int], n: int) -> np.ndarray:
    return np.eye(n)[columns]


def test_only_the_head_that_looks_elsewhere_has_changed():
    same, moved = on([0, 1, 2], 3), on([0, 2, 2], 3)
    one = trace("a b", "x y", np.stack([same, same])[None])
    other = trace("a c", "x z", np.stack([same, moved])[None])
    found = changed_heads(one, other)
    np.testing.assert_allclose(found["cross"], [[0, 1 / 3]], atol=1e-6)
    np.testing.assert_allclose(found["encoder_self"], 0, atol=1e-6)
    np.testing.assert_allclose(found["decoder_self"], 0, atol=1e-6)


def test_what_goes_to_a_new_word_counts_as_a_column_of_its_own():
    one = trace("a b", "x", on([0, 2], 3)[None, None].repeat(2, 1))
    half = np.array([[0.5, 0.5, 0, 0], [0, 0, 0, 1]])
    other = trace("a not b", "x", half[None, None].repeat(2, 1))
    expected = -(0.75 * np.log2(0.75) + 0.25 * np.log2(0.25)) - 0.5
    np.testing.assert_allclose(changed_heads(one, other)["cross"], expected / 2, atol=1e-6)


def test_heads_of_a_model_whose_heads_changed_places_find_each_other():
    rng = np.random.default_rng(0)
    maps = rng.dirichlet(np.ones(4), (2, 2, 3))
    one = trace("a b c", "x y", maps)
    found = matched(one, trace("a b c", "x y", maps[::-1, ::-1]), "cross")
    assert found.shape == (2, 2, 2, 2)
    for layer, head in np.ndindex(2, 2):
        assert found[layer, head, 1 - layer, 1 - head] == pytest.approx(1)
        assert found[layer, head].max() == found[layer, head, 1 - layer, 1 - head]


def test_another_cut_of_the_same_words_is_read_over_common_stretches():
    whole = on([0, 1, 2], 3)[None, None].repeat(2, 1)
    one = trace("ab c", "x y", whole)
    cut = (Label("a", 0, 0, 1), Label("##b", 0, 1, 2), Label("c", 1, 3, 4), EOS)
    pieces = np.array([[0.4, 0.6, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], np.float32)[None, None]
    other = AttentionTrace(cut, one.tgt_inputs, one.tgt_outputs, {"cross": pieces}, {})
    np.testing.assert_allclose(matched(one, other, "cross"), 1, atol=1e-6)
    none = AttentionTrace((EOS,), one.tgt_inputs, one.tgt_outputs, {"cross": np.ones((1, 1, 3, 1), np.float32)}, {})
    assert np.isnan(matched(one, none, "cross")).all()
