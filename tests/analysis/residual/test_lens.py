"""The logit lens and what heads promote, against the model's own output and against votes."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model.analysis.residual.lens import DECODER_KINDS, head_logits, lens, promoted
from model.analysis.residual.votes import votes
from model.analysis.what_if.fork import decoding_steps
from model.own.passes import attention_block
from model.passage import ForcedIds

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
