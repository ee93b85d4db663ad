"""What the later lessons compute, each against another computation, with a case that must differ."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from model.analysis.lessons import (
    families,
    feed_forward,
    hooks,
    learning,
    masks,
    normalising,
    recurrent,
    scaling,
    several,
    vectors,
)
from model.analysis.lessons.masks import source_batch, target_batch
from model.common.scenes import scene_png
from model.errors import EmptySentenceError, TooManySentencesError
from model.own.source import Twins
from model.trace import HeadRef
from model.translator import Translator, open_model
from tests.pages import SENTENCE, shipped


@pytest.mark.parametrize("reader", recurrent.READERS)
def test_a_gradient_reaches_as_a_small_change_of_a_letter_does(reader) -> None:
    model = recurrent.fresh(reader, 3).double()
    if reader == "attention":
        model.double()
    vectors_read = torch.randn(1, 5, recurrent.WIDTH, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    vectors_read.requires_grad_()
    model(vectors_read).sum().backward()
    moved = vectors_read.detach().clone()
    moved[0, 1, 4] += 1e-6
    with torch.no_grad():
        slope = float(model(moved).sum() - model(vectors_read).sum()) / 1e-6
    assert float(vectors_read.grad[0, 1, 4]) == pytest.approx(slope, rel=1e-3, abs=1e-9)


def test_only_attention_reaches_far() -> None:
    found = {reader: recurrent.reach(reader) for reader in recurrent.READERS}
    assert found["rnn"][0] < found["lstm"][0] < 1e-4 < found["attention"][0]
    assert all(np.isfinite(each).all() and len(each) == recurrent.FAR for each in found.values())


def test_readers_are_trained_on_the_same_strings_and_again_the_same() -> None:
    one, again = (recurrent.race(4, steps=40) for _ in range(2))
    for reader in recurrent.READERS:
        np.testing.assert_array_equal(one.right[reader], again.right[reader])
        assert len(one.right[reader]) == len(one.steps) == 4
    assert one.right["attention"][-1] > one.right["attention"][0] + 0.2
    other = recurrent.race(4, steps=40, seed=1)
    assert any((other.right[reader] != one.right[reader]).any() for reader in recurrent.READERS)


def test_gelu_and_relu_are_those_of_the_definition() -> None:
    x = np.linspace(-3, 3, 13)
    made = feed_forward.activations(x)
    np.testing.assert_array_equal(made["ReLU"], np.where(x > 0, x, 0))
    np.testing.assert_allclose(made["GELU"], nn.GELU()(torch.from_numpy(x)).numpy())
    assert made["GELU"].min() < 0 == made["ReLU"].min()


def test_words_are_their_pieces() -> None:
    assert vectors.split_words(["##a", "b", "##c", "##d", "e"]) == [["##a"], ["b", "##c", "##d"], ["e"]]
    assert vectors.split_words([]) == []


def test_unlike_lengths_have_unlike_shapes() -> None:
    assert several.unlike(2, 3, 5, 8, 4) == {
        "query": (2, 3, 8),
        "key": (2, 4, 5, 2),
        "weights": (2, 4, 3, 5),
        "out": (2, 3, 8),
    }


def test_smaller_matrices_do_what_the_division_does() -> None:
    plain, smaller = scaling.initial_variance()
    assert plain == pytest.approx(64, rel=0.1)
    assert smaller == pytest.approx(1, rel=0.1)
    assert plain / smaller == pytest.approx(64)


def test_a_sum_does_not_grow_and_the_last_softmax_is_steep_where_it_is_wrong() -> None:
    assert scaling.additive_variance(8) == pytest.approx(scaling.additive_variance(256), rel=0.15)
    logits = torch.tensor([3.0, 3.0, 6.0], dtype=torch.float64, requires_grad=True)
    nn.functional.cross_entropy(logits, torch.tensor(0)).backward()
    assert scaling.output_slope(3.0) == pytest.approx(float(logits.grad.norm()))
    assert scaling.output_slope(30.0, wanted=2) < 1e-9


def test_pytorch_smooths_over_every_class_and_the_other_way_leaves_padding_out() -> None:
    """What lesson 7 says of both: ε / V for all, and ε / (V − 2) with nothing for padding."""
    logits = torch.zeros(1, 5, dtype=torch.float64, requires_grad=True)
    nn.functional.cross_entropy(logits, torch.tensor([2]), label_smoothing=0.4).backward()
    wanted = (logits.softmax(-1) - logits.grad)[0].detach().numpy()
    np.testing.assert_allclose(wanted, [0.08, 0.08, 0.68, 0.08, 0.08])
    np.testing.assert_allclose(learning.smoothed((2,), 0.4)[0], [0, 0.4 / 3, 0.6, 0.4 / 3, 0.4 / 3])


def test_a_row_loses_what_pytorch_says_and_nothing_finite_where_it_gives_nothing() -> None:
    given = np.array([0.1, 0.2, 0.5, 0.1, 0.1])
    label = torch.from_numpy(learning.smoothed((2,), 0.4)[0])
    expected = nn.functional.kl_div(torch.from_numpy(given).log(), label, reduction="sum")
    assert learning.row_loss(2, given, 0.4) == pytest.approx(float(expected))
    assert learning.row_loss(2, (0, 0.2, 0.7, 0.1, 0), 0.4) == np.inf
    assert learning.row_loss(0, (0, 0.2, 0.7, 0.1, 0), 0.4) == 0, "padding"


def test_training_begins_within_the_bound_and_dropout_keeps_the_mean() -> None:
    start = learning.beginning(64, 0.25)
    assert 0.99 * start.bound < start.largest <= start.bound == pytest.approx((6 / 128) ** 0.5)
    assert start.spread == pytest.approx(1, rel=0.1)
    assert (1 - start.dropped) * start.kept == pytest.approx(1, rel=0.02)
    assert start.dropped == pytest.approx(0.25, abs=0.01)


def test_norms_after_the_sum_make_tokens_alike_too_only_later() -> None:
    """Lesson 6: “Without that sum tokens become alike within a few layers; with it, later.”"""
    found = normalising.by_depth().likeness
    assert found["none"][2] > 0.99 > found["post"][6] > 0.9
    assert found["post"][11] > 0.99
    assert found["pre"][11] < 0.9


def test_both_codes_of_layer_norm() -> None:
    raw = np.random.default_rng(2).normal(3, 2, (5, 16))
    found = normalising.codes(raw)
    own = nn.LayerNorm(16, dtype=torch.float64)(torch.from_numpy(raw)).detach().numpy()
    other = (raw - raw.mean(1, keepdims=True)) / (raw.std(1, ddof=1, keepdims=True) + 1e-6)
    assert found.difference == pytest.approx(np.abs(own - other).max())
    assert found.ratio == pytest.approx(np.sqrt(15 / 16), rel=1e-4)


def test_means_of_many_numbers_move_less() -> None:
    rng = np.random.default_rng(0)
    pictures, states = rng.normal(size=(4, 10, 10, 3)), rng.normal(size=(8, 3))
    behind, channel, dimension = normalising.channel_means(pictures, states)
    assert behind == 400
    expected = max(
        abs(pictures[:2, ..., c].mean() - pictures[..., c].mean()) / pictures[..., c].std() for c in range(3)
    )
    assert channel == pytest.approx(expected)
    assert channel < dimension


def test_a_hook_doubles_until_it_is_removed() -> None:
    twice, once = hooks.doubled()
    assert twice == [2 * each for each in once] == [2, 4, 6]


def test_one_matrix_makes_a_vits_queries_keys_and_values() -> None:
    source = open_model("tiny-vit", scene_png)
    found = families.fused(source, source.translate("scene-5"))
    assert found.error < 1e-5
    assert found.shapes[-1][0] == 3
    assert len(families.tasks("a", "b")["similarity"]) == 2


@shipped
def test_rows_are_scaled_and_scores_are_the_models(en_zh, translation) -> None:
    found = vectors.embedded(en_zh, SENTENCE)
    np.testing.assert_allclose(found.scaled, 16 * found.row)
    np.testing.assert_allclose(np.diag(found.cosines), 1)
    assert found.position == pytest.approx(np.full(len(found.row), np.sqrt(128)), rel=1e-5)
    assert 0.5 < found.alike.mean() < 0.9
    for step in (0, 5):
        back = vectors.written(en_zh, translation, step)
        assert back.best[0] == translation.tgt_ids[step]
        assert back.log_p[0] == pytest.approx(translation.log_probs[step], abs=1e-4)
        assert np.exp(back.log_p).sum() < 1


@shipped
def test_units_fire_on_some_tokens_and_each_token_is_treated_alone(en_zh) -> None:
    found = feed_forward.firing(en_zh, SENTENCE, 2)
    assert 0 < found.share.min() < found.share.max() < 0.5
    assert found.moved < 1e-5


@shipped
@pytest.mark.parametrize(("side", "layer"), [(0, 0), (0, 5), (1, 0), (1, 3)])
def test_a_layer_without_its_network_is_the_model_whose_network_gives_nothing(en_zh, translation, side, layer) -> None:
    before = feed_forward.without(en_zh, translation)
    ids = en_zh.ids(SENTENCE, translation.tgt_ids)
    network = (en_zh.model.encoder, en_zh.model.decoder)[side].layers[layer].feed_forward.down_proj
    kept = [parameter.detach().clone() for parameter in (network.weight, network.bias)]
    with torch.no_grad():
        try:
            network.weight.zero_()
            network.bias.zero_()
            muted = en_zh.model(ids.src, ids.inputs)[0].log_softmax(-1).gather(1, ids.written[:, None]).sum()
        finally:
            network.weight.copy_(kept[0])
            network.bias.copy_(kept[1])
    assert before[side][layer] == pytest.approx(float(muted) - sum(translation.log_probs), abs=1e-3)
    assert np.abs(before[side]).max() > 1e-2, "and that is not nothing"
    again = feed_forward.without(en_zh, translation)
    np.testing.assert_array_equal(before[0], again[0])  # nothing stays behind


@shipped
def test_shuffling_nothing_moves_nothing_and_everything_much(en_zh, translation, monkeypatch) -> None:
    every = [HeadRef("cross", layer, head) for layer in range(6) for head in range(8)]
    monkeypatch.setattr(en_zh, "_twins", Twins(en_zh.model))
    assert masks.shuffled_weights(en_zh, translation, []) < 1e-5
    assert masks.shuffled_weights(en_zh, translation, every[:1]) < masks.shuffled_weights(en_zh, translation, every)
    assert masks.shuffled_weights(en_zh, translation, every) <= 1


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
