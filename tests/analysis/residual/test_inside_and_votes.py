"""The six steps of a head, direct votes, interventions: each against an independent computation."""

import numpy as np
import pytest
import torch

from model.analysis.residual.six_steps import head_steps
from model.analysis.residual.votes import votes
from model.own.capture import capture_attention
from model.own.checkpoint import Checkpoint
from model.own.interventions import scaled_heads
from model.own.passes import attention_block
from model.own.source import OwnSource
from model.passage import ForcedIds
from model.trace import KINDS

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
