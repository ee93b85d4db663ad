from __future__ import annotations

import numpy as np
import pytest

from model.analysis.lessons import masks
from model.analysis.lessons.masks import source_batch, target_batch
from model.errors import EmptySentenceError, TooManySentencesError
from model.translator import Translator

SENTENCES = ["The red car is mine.", "I love you."]


def test_a_batch_is_padded_to_its_longest_sentence(translator: Translator) -> None:
    batch = source_batch(translator, SENTENCES)
    assert batch.padding.shape == (2, len(batch.tokens[0]))
    for tokens, seen in zip(batch.tokens, batch.padding, strict=True):
        assert [token != "<pad>" for token in tokens] == seen.tolist()
    assert batch.padding[0].all()
    assert not batch.padding[1].all()
    assert batch.tokens[1][: batch.padding[1].sum()][-1] == "<eos>"


def test_the_decoder_combines_padding_and_future(translator: Translator) -> None:
    batch = target_batch(translator, SENTENCES)
    size = len(batch.tokens[0])
    assert batch.combined is not None
    for padding, combined in zip(batch.padding, batch.combined, strict=True):
        np.testing.assert_array_equal(combined, np.tril(np.ones((size, size), dtype=bool)) & padding)
    assert [tokens[0] for tokens in batch.tokens] == ["<bos>"] * 2
    assert batch.text == tuple(translator.translate(sentence).text for sentence in SENTENCES)


def test_triu_is_the_causal_mask_for_k_1_alone() -> None:
    found = {k: masks.triu(5, k) for k in (-1, 0, 1)}
    assert {k: made.is_causal for k, made in found.items()} == {-1: False, 0: False, 1: True}
    assert {k: made.blind for k, made in found.items()} == {-1: (0, 1), 0: (0,), 1: ()}
    assert found[1].ones.sum() == 10


@pytest.mark.parametrize("kind", ["encoder_self", "decoder_self", "cross"])
def test_the_steps_of_a_row_end_in_the_captured_weights(translator: Translator, kind) -> None:
    trace = translator.trace(SENTENCES[0], "红车是我的。").trace
    assert trace is not None
    steps = masks.row_steps(trace, kind, 1, 2, 2)
    np.testing.assert_array_equal(steps.weights, trace.map(kind, 1, 2)[2])
    hidden = np.isneginf(steps.masked)
    assert hidden.sum() == (len(steps.scores) - 3 if kind == "decoder_self" else 0)
    assert (steps.weights[hidden] == 0).all()
    assert (steps.scores[~hidden] == steps.masked[~hidden]).all()
    assert steps.error < 1e-6


def test_without_the_mask_the_softmax_would_be_another(translator: Translator) -> None:
    trace = translator.trace(SENTENCES[0], "红车是我的。").trace
    assert trace is not None
    steps = masks.row_steps(trace, "decoder_self", 0, 0, 1)
    unmasked = np.exp(steps.scores) / np.exp(steps.scores).sum()
    assert np.abs(unmasked - steps.weights).max() > 0.01
    with pytest.raises(ValueError, match="rows 0–"):
        masks.row_steps(trace, "decoder_self", 0, 0, 99)


def test_one_line_is_one_sentence_and_eight_are_enough() -> None:
    assert masks.sentences_of("a\n\n  b  \n") == ["a", "b"]
    assert len(masks.sentences_of("x\n" * 8)) == 8
    with pytest.raises(TooManySentencesError, match="9 sentences; the limit is 8"):
        masks.sentences_of("x\n" * 9)
    with pytest.raises(EmptySentenceError):
        masks.sentences_of(" \n ")


def test_the_opening_batch_has_three_lengths() -> None:
    assert masks.opening_batch(["bb", "a", "ccc", "dddd"]).split("\n") == ["dddd", "bb", "a"]
    assert masks.opening_batch(["one"]) == "one"
    assert masks.opening_batch([]) == ""
