from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from model.own.network.attention import MultiHeadAttention
from model.own.network.masks import causal_mask, decoder_mask, padding_mask

IDS = torch.tensor([[5, 6, 7, 0], [5, 0, 0, 0]])


def test_true_means_may_attend() -> None:
    assert padding_mask(IDS, 0).tolist() == [[[[True, True, True, False]]], [[[True, False, False, False]]]]
    assert causal_mask(3)[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_the_decoder_uses_both_together() -> None:
    assert decoder_mask(IDS, 0)[1, 0].int().tolist() == [[1, 0, 0, 0]] * 4
    assert decoder_mask(IDS, 0)[0, 0, 3].int().tolist() == [1, 1, 1, 0]
    assert decoder_mask(IDS, 0).shape == (2, 1, 4, 4)


def test_a_row_of_padding_alone_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing but padding"):
        padding_mask(torch.tensor([[5, 6], [0, 0]]), 0)


@pytest.fixture
def attention() -> MultiHeadAttention:
    torch.manual_seed(1)
    return MultiHeadAttention(16, 4).eval()


def watch(attention: MultiHeadAttention, hook: str) -> list[Tensor]:
    seen: list[Tensor] = []
    getattr(attention, hook).register_forward_hook(lambda _module, _inputs, output: seen.append(output))
    return seen


def torch_twin(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    twin = nn.MultiheadAttention(16, 4, batch_first=True).eval()
    projections = (attention.q_proj, attention.k_proj, attention.v_proj)
    twin.in_proj_weight.data = torch.cat([projection.weight for projection in projections])
    twin.in_proj_bias.data = torch.cat([projection.bias for projection in projections])
    twin.out_proj.load_state_dict(attention.out_proj.state_dict())
    return twin


@pytest.mark.parametrize("masked", [False, True])
def test_output_and_every_head_equal_torchs_own_attention(attention: MultiHeadAttention, masked: bool) -> None:
    x, memory = torch.randn(2, 5, 16), torch.randn(2, 5, 16)
    mask = causal_mask(5) if masked else None
    weights = watch(attention, "weights_hook")
    output = attention(x, attention.project(memory), mask)
    blocked = ~mask[0, 0] if mask is not None else None
    expected, expected_weights = torch_twin(attention)(
        x, memory, memory, attn_mask=blocked, average_attn_weights=False, need_weights=True
    )
    torch.testing.assert_close(output, expected)
    torch.testing.assert_close(weights[0], expected_weights)
    assert weights[0].shape == (2, 4, 5, 5)
    assert not torch.allclose(weights[0][:, 0], weights[0][:, 1], atol=1e-3), "heads differ, so their order is tested"


def test_the_fused_kernel_and_the_single_steps_agree(attention: MultiHeadAttention) -> None:
    x = torch.randn(2, 6, 16)
    fused = attention(x, attention.project(x), causal_mask(6))
    assert not attention.is_watched
    watch(attention, "scores_hook")
    assert attention.is_watched
    torch.testing.assert_close(attention(x, attention.project(x), causal_mask(6)), fused, atol=1e-6, rtol=1e-5)


def test_captured_weights_are_those_that_were_multiplied(attention: MultiHeadAttention) -> None:
    x = torch.randn(1, 6, 16)
    weights, values = watch(attention, "weights_hook"), watch(attention, "value_hook")
    output = attention(x, attention.project(x), causal_mask(6))
    again = attention.out_proj((weights[0] @ values[0]).transpose(1, 2).flatten(2))
    torch.testing.assert_close(output, again)
    wrong = attention.out_proj((weights[0].flip(1) @ values[0]).transpose(1, 2).flatten(2))
    assert not torch.allclose(output, wrong, atol=1e-3)


def test_weights_are_captured_before_dropout() -> None:
    torch.manual_seed(1)
    attention = MultiHeadAttention(16, 4, dropout=0.5).train()
    x = torch.randn(1, 6, 16)
    weights = watch(attention, "weights_hook")
    attention(x, attention.project(x))
    torch.testing.assert_close(weights[0].sum(-1), torch.ones(1, 4, 6))


def test_masked_scores_are_minus_infinity_and_their_weights_zero(attention: MultiHeadAttention) -> None:
    x = torch.randn(1, 4, 16)
    scores, masked = watch(attention, "scores_hook"), watch(attention, "masked_scores_hook")
    weights = watch(attention, "weights_hook")
    attention(x, attention.project(x), causal_mask(4))
    future = torch.ones(4, 4, dtype=torch.bool).triu(1)
    assert torch.isfinite(scores[0]).all()
    assert (masked[0][..., future] == -torch.inf).all()
    assert (weights[0][..., future] == 0).all()
    assert (weights[0][..., ~future] > 0).all()


def test_masking_a_key_equals_removing_it(attention: MultiHeadAttention) -> None:
    x, memory = torch.randn(1, 3, 16), torch.randn(1, 5, 16)
    mask = torch.tensor([True, True, False, True, True])[None, None, None]
    masked = attention(x, attention.project(memory), mask)
    removed = attention(x, attention.project(memory[:, [0, 1, 3, 4]]))
    torch.testing.assert_close(masked, removed)
    assert not torch.allclose(masked, attention(x, attention.project(memory)), atol=1e-3)


def test_a_hook_that_returns_a_value_replaces_it(attention: MultiHeadAttention) -> None:
    x = torch.randn(1, 4, 16)
    before = attention(x, attention.project(x))

    def mute(_module: nn.Module, _inputs: tuple[Tensor, ...], output: Tensor) -> Tensor:
        return output * torch.tensor([1.0, 0.0, 1.0, 1.0])[:, None, None]

    handle = attention.heads_hook.register_forward_hook(mute)
    muted = attention(x, attention.project(x))
    handle.remove()
    assert not torch.allclose(before, muted, atol=1e-3)
    attention.out_proj.weight.data[:, 4:8] = 0  # what head 1 feeds
    torch.testing.assert_close(attention(x, attention.project(x)), muted)


def test_hook_names_are_an_interface() -> None:
    assert MultiHeadAttention.HOOKS == (
        "query_hook",
        "key_hook",
        "value_hook",
        "scores_hook",
        "masked_scores_hook",
        "weights_hook",
        "heads_hook",
    )
