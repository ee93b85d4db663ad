"""The logit lens and what heads promote, against the model's own output and against votes."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model.analysis.residual.composition import chance, compositions, written_words
from model.analysis.residual.lens import DECODER_KINDS, head_logits, lens, promoted
from model.analysis.residual.proof import head_steps
from model.analysis.residual.votes import votes
from model.analysis.what_if.fork import decoding_steps
from model.own import checkpoint
from model.own.capture import capture_attention, scaled_heads
from model.own.checkpoint import Checkpoint
from model.own.passes import attention_block
from model.own.source import OwnSource
from model.passage import ForcedIds
from model.source import LacksAbilityError
from model.trace import KINDS, HeadRef
from model.translator import Translator

STEP = 2


@pytest.fixture(scope="module")
def made(translator):
    return translator.trace("Tom didn't see it.", "汤姆没看见它。")


@pytest.fixture(scope="module")
def found(translator, made):
    return lens(translator, made)


@pytest.fixture(scope="module")
def logits(translator, made) -> torch.Tensor:
    src, inputs, *_ = translator.ids(made.source, made.tgt_ids)
    with torch.inference_mode():
        return translator.model(src, inputs)[0].double()


def test_the_last_level_is_the_models_own_output(translator, made, found, logits):
    probabilities = logits.softmax(-1).numpy()
    np.testing.assert_allclose(np.exp(made.log_probs), found.written_probabilities[-1], atol=1e-5)
    np.testing.assert_allclose(np.sort(probabilities, -1)[:, ::-1][:, :5], found.probabilities[-1], atol=1e-5)
    steps = decoding_steps(translator, made.source, made.tgt_ids)
    assert [step.written.id for step in steps] == found.written.tolist()
    above = (logits > logits.gather(1, torch.tensor(found.written)[:, None])).sum(-1) + 1
    np.testing.assert_array_equal(found.ranks[-1], above)
    assert np.abs(found.written_probabilities[-1] - found.written_probabilities[0]).max() > 1e-5


@pytest.mark.parametrize("level", [0, 1])
def test_an_earlier_level_is_what_the_decoder_says_without_the_layers_after_it(translator, made, found, level):
    src, inputs, *_ = translator.ids(made.source, made.tgt_ids)
    model, layers = translator.model, translator.model.decoder.layers
    try:
        model.decoder.layers = layers[:level]
        with torch.inference_mode():
            cut = model(src, inputs)[0].softmax(-1)
    finally:
        model.decoder.layers = layers
    best = cut.topk(5)
    np.testing.assert_allclose(found.probabilities[level], best.values, atol=1e-5)
    np.testing.assert_array_equal(found.tokens[level, :, 0], best.indices[:, 0])
    np.testing.assert_allclose(
        found.written_probabilities[level], cut.gather(1, torch.tensor(found.written)[:, None])[:, 0], atol=1e-5
    )


def test_heads_and_the_rest_sum_to_the_logits(translator, found, logits):
    model, final = translator.model, torch.tensor(found.states[-1, STEP])
    parts = np.zeros(found.vocabulary)
    rest = final.double()
    for kind in DECODER_KINDS:
        layers, heads = found.gathered[kind].shape[:2]
        for layer in range(layers):
            block = attention_block(model, kind, layer)
            gathered = torch.tensor(found.gathered[kind][layer, :, STEP]).double().flatten()
            rest = rest - block.out_proj.weight.detach().double() @ gathered
            for head in range(heads):
                parts += head_logits(translator, found, kind, layer, head, STEP)
    shift = model.decoder.embedding.tokens.weight.detach().double() @ model.decoder.norm.bias.detach().double()
    whole = parts + (translator.unembedding.parts(final, rest) + shift).numpy()
    np.testing.assert_allclose(whole, logits[STEP].numpy(), atol=1e-4)
    assert np.abs(parts).max() > 1e-2


@pytest.mark.parametrize("kind", DECODER_KINDS)
def test_a_heads_part_agrees_with_its_votes(translator, made, found, kind):
    src, inputs, *_ = translator.ids(made.source, made.tgt_ids)
    prefix = ForcedIds(src, inputs[:, : STEP + 1], inputs[0, 1 : STEP + 2])
    between = votes(translator, prefix, 7, 12).heads[kind]
    for layer, head in ((0, 1), (1, 3)):
        part = head_logits(translator, found, kind, layer, head, STEP)
        assert part[7] - part[12] == pytest.approx(between[layer, head], abs=1e-5)


def test_promoted_are_the_tokens_that_the_head_moves_most(translator, found):
    moved = promoted(translator, found, "cross", 1, 2, STEP, k=3)
    part = head_logits(translator, found, "cross", 1, 2, STEP)
    part -= part.mean()
    assert [change for _, change in moved.raised] == pytest.approx(sorted(part)[::-1][:3])
    assert [change for _, change in moved.lowered] == pytest.approx(sorted(part)[:3])
    assert [part[token] for token, _ in moved.raised] == pytest.approx([change for _, change in moved.raised])


def test_settling_is_the_first_level_that_keeps_the_token(found):
    ranks = np.array([[9, 1, 1], [1, 3, 1], [1, 1, 1], [1, 1, 2]])
    other = type(found)(**{**vars(found), "ranks": ranks})
    assert [other.settles(step) for step in range(3)] == [1, 2, None]


def test_no_lens_for_an_encoder_head_or_a_step_that_does_not_exist(translator, found):
    with pytest.raises(ValueError, match="only heads of the decoder"):
        head_logits(translator, found, "encoder_self", 0, 0, 0)
    with pytest.raises(IndexError, match="steps"):
        head_logits(translator, found, "cross", 0, 0, 99)


@pytest.fixture
def own(checkpoint_folder) -> Translator:
    return Translator(checkpoint.load(checkpoint_folder, "cpu"), "own")


def whole(model, kind, layer, head):
    """W_Q, W_K, W_V, W_O of a head as they act on rows, the norms before them folded in: numpy [D, d] and [d, D]."""
    maps, size = model.projections(kind, layer), model.facts.d_head
    part = slice(head * size, (head + 1) * size)
    query, key = model.norms(kind, layer)
    centre = np.eye(model.facts.d_model) - 1 / model.facts.d_model
    read = [
        centre @ np.diag(norm.scale.double().numpy()) @ weight.double().numpy()[part].T
        for (weight, _), norm in ((maps.query, query), (maps.key, key), (maps.value, key))
    ]
    return *read, maps.out[0].double().numpy()[:, part].T


@pytest.mark.parametrize(
    ("writer", "reader", "ways"),
    [
        (HeadRef("encoder_self", 0, 1), HeadRef("encoder_self", 1, 2), "QKV"),
        (HeadRef("encoder_self", 1, 3), HeadRef("cross", 0, 2), "KV"),
        (HeadRef("decoder_self", 0, 0), HeadRef("cross", 0, 1), "Q"),
        (HeadRef("cross", 0, 3), HeadRef("decoder_self", 1, 3), "QKV"),
    ],
)
def test_scores_are_those_of_whole_matrices(own, writer, reader, ways):
    _, _, value, out = whole(own, *writer)
    query, key, value_2, out_2 = whole(own, *reader)
    first, pattern, second = value @ out, query @ key.T, value_2 @ out_2
    products = {"Q": (first @ pattern, pattern), "K": (first @ pattern.T, pattern), "V": (first @ second, second)}
    for head in (writer, reader):
        found = {each.way: each.score for each in compositions(own, head) if each[:2] == (writer, reader)}
        assert set(found) == set(ways)
        for way, score in found.items():
            product, other = products[way]
            expected = np.linalg.norm(product) / np.linalg.norm(first) / np.linalg.norm(other)
            assert score == pytest.approx(expected, rel=1e-6)


def test_a_head_that_was_made_to_read_another_comes_first(own):
    writer, reader = HeadRef("decoder_self", 0, 2), HeadRef("cross", 1, 0)
    size = own.facts.d_head
    first, second = own.model.decoder.layers[0].self_attn, own.model.decoder.layers[1].cross_attn
    with torch.no_grad():
        written = first.out_proj.weight[:, writer.head * size : (writer.head + 1) * size]
        second.q_proj.weight[reader.head * size : (reader.head + 1) * size] = written.T
    found = compositions(own, reader)
    assert found[0][:3] == (writer, reader, "Q")
    others = [each.score for each in found[1:]]
    assert found[0].score > 2 * np.mean(others)
    assert np.sqrt(np.mean(np.square(others))) == pytest.approx(chance(own.facts.d_model), rel=0.35)


def test_nobody_reads_what_comes_later(own):
    found = compositions(own, HeadRef("encoder_self", 1, 0))
    assert {(each.writer.kind, each.writer.layer) for each in found} == {("encoder_self", 0), ("encoder_self", 1)}
    assert {each.reader.kind for each in found if each.writer.layer == 1} == {"cross"}
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


def test_what_a_head_writes_raises_the_logits_of_its_words(own):
    head = HeadRef("cross", 1, 2)
    (share, up, down), *_ = written_words(own, head, most=3)
    _, _, value, out = whole(own, *head)
    values, direction = np.linalg.svd(value @ out)[1:]
    assert share == pytest.approx(values[0] ** 2 / (values**2).sum())
    last = own.unembedding
    logits = (last.table.double().numpy() * last.scale.double().numpy()) @ (direction[0] - direction[0].mean())
    order = [n for n in (logits - logits.mean()).argsort().tolist() if n not in own.never_written]
    ends = [[own.piece(each) for each in ids] for ids in (order[:-4:-1], order[:3])]
    assert [up, down] in (ends, ends[::-1])  # a singular direction has no sign


def test_a_model_without_projections_says_so(own, monkeypatch):
    from dataclasses import replace

    monkeypatch.setattr(own, "anatomy", replace(own.anatomy, abilities=frozenset()))
    with pytest.raises(LacksAbilityError):
        compositions(own, HeadRef("cross", 0, 0))


SRC = torch.tensor([[5, 6, 7, 8, 2]])
TGT = torch.tensor([[1, 9, 10, 11]])
IDS = ForcedIds(SRC, TGT, torch.tensor([9, 10, 11, 2]))


@pytest.fixture
def source(small_model):
    return OwnSource(Checkpoint(small_model, None, None, {}), "small")  # nobody reads text here


@pytest.mark.parametrize("kind", KINDS)
def test_six_steps_reproduce_captured_weights_and_layer_output(small_model, source, kind):
    with capture_attention(small_model) as seen, torch.inference_mode():
        small_model(SRC, TGT)
    heads = [head_steps(source, IDS, kind, 1, head) for head in range(4)]
    for head, steps in enumerate(heads):
        np.testing.assert_allclose(steps.weights, seen.stack(small_model, kind)[1, head], atol=1e-6)
        np.testing.assert_allclose(steps.scores, steps.dots / np.sqrt(4), atol=1e-6)
        np.testing.assert_allclose(steps.gathered, steps.weights @ steps.value, atol=1e-6)
        exponentials = np.exp(steps.masked_scores)
        np.testing.assert_allclose(steps.weights, exponentials / exponentials.sum(-1, keepdims=True), atol=1e-6)
    block = attention_block(small_model, kind, 1)
    inputs, memory = (torch.tensor(getattr(heads[0], name))[None] for name in ("inputs", "memory"))
    mask = torch.ones(4, 4, dtype=torch.bool).tril() if kind == "decoder_self" else None
    output = block(inputs, block.project(memory), mask)[0].detach().numpy()
    np.testing.assert_allclose(sum(steps.projected for steps in heads) + heads[0].bias, output, atol=1e-5)


def test_masked_scores_are_minus_infinity_only_in_the_future(source):
    steps = head_steps(source, IDS, "decoder_self", 0, 0)
    future = np.triu(np.ones((4, 4), dtype=bool), k=1)
    assert np.isneginf(steps.masked_scores[future]).all()
    assert np.isfinite(steps.masked_scores[~future]).all()


def test_votes_and_rest_sum_to_the_logit_difference(small_model, source):
    found = votes(source, IDS, 7, 12)
    with torch.inference_mode():
        logits = small_model(SRC, TGT)[0, -1]
    assert found.difference == pytest.approx(float(logits[7] - logits[12]), abs=1e-5)
    assert found.total == pytest.approx(found.difference, abs=1e-4)
    np.testing.assert_allclose(found.sources.sum(-1), found.heads["cross"], atol=1e-6)
    assert abs(found.total - found.rest) > 1e-3  # the heads do vote: the sum is not the rest alone


def test_votes_turn_round_with_the_candidates(source):
    one, other = votes(source, IDS, 7, 12), votes(source, IDS, 12, 7)
    np.testing.assert_allclose(one.heads["cross"], -other.heads["cross"], atol=1e-9)
    assert one.rest == pytest.approx(-other.rest)


def test_muted_head_contributes_nothing(small_model, source):
    with torch.inference_mode(), scaled_heads(small_model, {("cross", 2, 1): 0.0}):
        muted = small_model(SRC, TGT)
        steps = head_steps(source, IDS, "cross", 2, 1)
        assert votes(source, IDS, 7, 12).heads["cross"][2, 1] == 0.0
    assert (steps.gathered == 0).all()
    assert steps.weights.max() > 0  # it still looks, and can be shown
    block = attention_block(small_model, "cross", 2)
    with torch.inference_mode():
        whole = small_model(SRC, TGT)
        block.out_proj.weight[:, 4:8] = 0.0
        np.testing.assert_allclose(small_model(SRC, TGT).numpy(), muted.numpy(), atol=1e-6)
    assert (whole - muted).abs().max() > 1e-4


def test_gain_one_changes_nothing_and_hooks_leave(small_model):
    with torch.inference_mode():
        whole = small_model(SRC, TGT)
        with scaled_heads(small_model, {(kind, 1, 2): 1.0 for kind in KINDS}):
            assert torch.equal(small_model(SRC, TGT), whole)
        with pytest.raises(RuntimeError), scaled_heads(small_model, {("cross", 0, 0): 0.5}):
            raise RuntimeError
        assert torch.equal(small_model(SRC, TGT), whole)


def test_a_head_that_does_not_exist_is_refused(small_model):
    with pytest.raises(ValueError, match="L9 H0"), scaled_heads(small_model, {("cross", 9, 0): 0.0}):
        pass
