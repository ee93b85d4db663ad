from __future__ import annotations

import pytest
import torch

from model.own.network.config import TransformerConfig
from model.own.network.layers import Dropout
from model.own.network.transformer import Transformer
from model.own.text.vocab import BOS_ID, EOS_ID, PAD_ID

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
