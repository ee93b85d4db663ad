from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn

from model.own.network.attention import MultiHeadAttention
from model.own.network.config import TransformerConfig
from model.own.network.layers import (
    Dropout,
    PositionalEncoding,
    angular_frequencies,
    causal_mask,
    decoder_mask,
    padding_mask,
    rotation,
    sinusoidal_table,
)
from model.own.network.transformer import Transformer
from model.own.text.vocab import BOS_ID, EOS_ID, PAD_ID

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


def test_a_config_survives_the_round_trip() -> None:
    config = TransformerConfig(100, 200, n_decoder_layers=3)
    assert TransformerConfig.from_dict(config.to_dict()) == config
    assert config.d_head == 32


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"d_model": 250}, "d_model 250 is not a multiple of n_heads 8"),
        ({"d_model": 9, "n_heads": 3}, "d_model must be even"),
        ({"n_encoder_layers": 0}, "n_encoder_layers must be a positive whole number"),
        ({"d_ff": 10.5}, "d_ff must be a positive whole number"),
        ({"dropout": 1.0}, r"dropout must be in \[0, 1\)"),
        ({"attention_dropout": -0.1}, "attention_dropout must be in"),
        ({"heads": 8}, "unknown config key 'heads'"),
    ],
)
def test_wrong_sizes_are_refused_by_name(values: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        TransformerConfig.from_dict({"src_vocab_size": 100, "tgt_vocab_size": 100, **values})


def test_a_missing_vocabulary_size_is_named() -> None:
    with pytest.raises(ValueError, match="'tgt_vocab_size' is missing"):
        TransformerConfig.from_dict({"src_vocab_size": 100})


def test_the_table_holds_the_papers_formula() -> None:
    table = sinusoidal_table(50, 16)
    for position, pair in ((0, 0), (1, 0), (7, 3), (49, 7)):
        angle = position / 10000 ** (2 * pair / 16)
        assert table[position, 2 * pair].item() == pytest.approx(math.sin(angle), abs=1e-6)
        assert table[position, 2 * pair + 1].item() == pytest.approx(math.cos(angle), abs=1e-6)


def test_frequencies_fall_from_one() -> None:
    frequencies = angular_frequencies(16)
    assert frequencies[0] == 1
    assert frequencies[4].item() == pytest.approx(0.01)
    assert (frequencies.diff() < 0).all()


@pytest.mark.parametrize("offset", [-3.0, 0.0, 2.5, 10.0])
def test_one_rotation_shifts_every_position(offset: float) -> None:
    angle = angular_frequencies(16)

    def encoding(position: float) -> torch.Tensor:
        return torch.stack(((position * angle).sin(), (position * angle).cos()), -1).flatten()

    turn = rotation(offset, 16)
    for position in (0.0, 1.0, 20.0, 33.3):
        torch.testing.assert_close(turn @ encoding(position), encoding(position + offset))
    torch.testing.assert_close(turn @ turn.T, torch.eye(16, dtype=torch.float64))
    if offset:
        assert not torch.allclose(rotation(-offset, 16) @ encoding(5.0), encoding(5.0 + offset), atol=1e-3)


def test_positions_start_where_the_cache_ends_and_end_with_the_table() -> None:
    positions = PositionalEncoding(8, 16)
    x = torch.zeros(1, 3, 16)
    torch.testing.assert_close(positions(x, start=5)[0], sinusoidal_table(8, 16)[5:8])
    with pytest.raises(ValueError, match="longer than max_len 8"):
        positions(x, start=6)


SRC = torch.tensor([[11, 12, 13, 14, EOS_ID]])
TGT = torch.tensor([[BOS_ID, 7, 8, 9, 10]])


def test_no_gradient_comes_from_the_future(model: Transformer) -> None:
    states = model.decoder.embedding(TGT).detach().requires_grad_()
    model.decoder.embedding.forward = lambda ids, start=0: states  # type: ignore[method-assign]
    logits = model.project(model.decode(TGT, model.encode(SRC), SRC))
    logits[0, 2].sum().backward()
    assert states.grad is not None
    assert (states.grad[0, 3:] == 0).all(), "rows 3 and 4 are the future of row 2"
    assert (states.grad[0, :3].abs().sum(-1) > 0).all(), "the past and the present do count"


def test_a_later_token_changes_no_earlier_row(model: Transformer) -> None:
    other = TGT.clone()
    other[0, 3] = 20
    before, after = model(SRC, TGT), model(SRC, other)
    torch.testing.assert_close(before[:, :3], after[:, :3])
    assert not torch.allclose(before[:, 3:], after[:, 3:], atol=1e-3)


def test_padding_a_batch_changes_no_sentence(model: Transformer) -> None:
    alone = model(SRC, TGT)
    src = torch.tensor([[11, 12, 13, 14, EOS_ID, PAD_ID, PAD_ID], [21, 22, 23, 24, 25, 26, EOS_ID]])
    tgt = torch.tensor([[BOS_ID, 7, 8, 9, 10, PAD_ID], [BOS_ID, 5, 6, 7, 8, 9]])
    torch.testing.assert_close(model(src, tgt)[:1, :5], alone, atol=1e-5, rtol=1e-5)
    src[0, 5:] = 30  # words where the padding was
    assert not torch.allclose(model(src, tgt)[:1, :5], alone, atol=1e-3)


def test_parameter_names_are_an_interface(model: Transformer) -> None:
    names = set(model.state_dict())
    attention = [f"{part}_proj.{kind}" for part in "qkv" for kind in ("weight", "bias")]
    attention += ["out_proj.weight", "out_proj.bias"]
    norms = [f"{name}.{kind}" for name in ("self_attn_norm", "feed_forward_norm") for kind in ("weight", "bias")]
    feed_forward = [f"feed_forward.{part}_proj.{kind}" for part in ("up", "down") for kind in ("weight", "bias")]
    both = [f"self_attn.{name}" for name in attention] + norms + feed_forward
    cross = [f"cross_attn.{name}" for name in attention] + ["cross_attn_norm.weight", "cross_attn_norm.bias"]
    expected = {f"encoder.layers.{layer}.{name}" for layer in range(2) for name in both}
    expected |= {f"decoder.layers.{layer}.{name}" for layer in range(3) for name in [*both, *cross]}
    expected |= {f"{side}.{name}" for side in ("encoder", "decoder") for name in ("norm.weight", "norm.bias")}
    expected |= {f"{side}.embedding.tokens.weight" for side in ("encoder", "decoder")}
    assert names == expected


def test_the_output_projection_is_the_target_embedding(model: Transformer) -> None:
    states = torch.randn(2, 16)
    torch.testing.assert_close(model.project(states), states @ model.decoder.embedding.tokens.weight.T)


def test_embeddings_are_scaled_by_the_root_of_their_width(model: Transformer) -> None:
    embedding = model.encoder.embedding
    expected = embedding.tokens(SRC) * 4 + embedding.positions.table[:5]
    torch.testing.assert_close(embedding(SRC), expected)


def test_a_sequence_longer_than_the_table_is_refused(model: Transformer, config: TransformerConfig) -> None:
    with pytest.raises(ValueError, match="longer than max_len 64"):
        model.encode(torch.full((1, config.max_len + 1), 9))


def test_dropout_keeps_the_mean_and_rests_outside_training() -> None:
    torch.manual_seed(0)
    dropout, x = Dropout(0.25), torch.ones(1000, 100)
    dropped = dropout.train()(x)
    assert dropped.mean().item() == pytest.approx(1, abs=0.01)
    assert (dropped == 0).float().mean().item() == pytest.approx(0.25, abs=0.01)
    assert dropout.eval()(x) is x
