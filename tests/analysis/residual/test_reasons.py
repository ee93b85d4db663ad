"""Why a head looks there: tables of scores against the hook on the scores, and their parts against the modules."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from model.analysis.residual.reasons import StreamPart, largest, reasons
from model.own.capture import SCORES, capture_attention
from model.own.checkpoint import Checkpoint
from model.own.network.layers import sinusoidal_table
from model.own.source import OwnSource
from model.passage import Ask, ForcedIds
from model.trace import KINDS, HeadRef, Translation
from model.translator import Translator
from tests.pages import HOSTILE, reverse, shipped

SRC = torch.tensor([[5, 6, 7, 8, 2]])
TGT = torch.tensor([[1, 9, 10, 11]])
NOTHING = Translation("", "", (), (), (), (), True, 2)  # the small model reads ids


class SmallSource(OwnSource):
    """A model that reads the same ids whatever it is asked about."""

    def ids(self, source, tgt_ids, finished=True):
        return ForcedIds(SRC, TGT, torch.tensor([9, 10, 11, 2]))


@pytest.fixture
def source(small_model):
    return SmallSource(Checkpoint(small_model, None, None, {}), "small")


def tables(found) -> np.ndarray:
    """Every score's table: [Q, K, P, R]."""
    queries, keys = found.scores.shape
    return np.array([[found.table(query, key) for key in range(keys)] for query in range(queries)])


def hooked(model, src, inputs) -> dict:
    """Scores of every kind as the hook on them sees them, [L, H, Q, K]."""
    with capture_attention(model) as seen, torch.inference_mode():
        model(src, inputs)
    return {kind: seen.stack(model, kind, SCORES) for kind in KINDS}


def outputs(model, *names: str) -> list[torch.Tensor]:
    """What modules gave in one pass, without the batch axis."""
    found: dict[str, torch.Tensor] = {}
    hooks = [
        model.get_submodule(name).register_forward_hook(lambda _m, _i, out, name=name: found.update({name: out[0]}))
        for name in names
    ]
    with torch.no_grad():
        model(SRC, TGT)
    for hook in hooks:
        hook.remove()
    return [found[name].double() for name in names]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layer", [0, 1])
def test_every_table_sums_to_the_score_that_the_hook_saw(small_model, source, kind, layer):
    wanted = hooked(small_model, SRC, TGT)[kind][layer]
    for head in range(4):
        found = reasons(source, NOTHING, HeadRef(kind, layer, head))
        assert found.holds
        np.testing.assert_allclose(tables(found).sum((2, 3)), wanted[head], atol=1e-5)
    assert np.abs(wanted[3] - wanted[2]).max() > 1e-2


@reverse
@pytest.mark.parametrize("kind", KINDS)
def test_it_holds_for_every_head_of_the_toy(kind):
    toy = Translator.from_checkpoint("reverse", "cpu")
    made = toy.translate("headlight")
    wanted = hooked(toy.model, *toy.ids(made.source, made.tgt_ids)[:2])[kind]
    for layer, head in np.ndindex(wanted.shape[:2]):
        found = reasons(toy, made, HeadRef(kind, layer, head))
        np.testing.assert_allclose(tables(found).sum((2, 3)), wanted[layer, head], rtol=1e-5, atol=1e-5)


@shipped
@pytest.mark.parametrize(
    ("kind", "rows", "columns"), [("encoder_self", 9, 9), ("decoder_self", 12, 12), ("cross", 13, 15)]
)
def test_it_holds_for_the_shipped_model(en_zh, translation, kind, rows, columns):
    wanted = hooked(en_zh.model, *en_zh.ids(translation.source, translation.tgt_ids)[:2])[kind][3, 5]
    found = reasons(en_zh, translation, HeadRef(kind, 3, 5))
    made = tables(found)
    assert made.shape[2:] == (rows, columns)
    np.testing.assert_allclose(made.sum((2, 3)), wanted, atol=2e-5)
    np.testing.assert_allclose(found.weights, translation.trace.map(kind, 3, 5), atol=1e-5)
    assert found.strongest(2) == translation.trace.map(kind, 3, 5)[2].argmax()
    for part in range(rows - 1):  # whichever is left out, something is missing
        assert np.abs(np.delete(made, part, 2).sum((2, 3)) - wanted).max() > 1e-3


def test_parts_stand_in_the_order_of_the_stream(source):
    found = reasons(source, NOTHING, HeadRef("cross", 1, 0))
    names = [("token", None), ("position", None), ("decoder_self", 0), ("cross", 0), ("feed_forward", 0)]
    assert found.query_parts == (*names, ("decoder_self", 1), ("biases", None))
    layers = [(sort, layer) for layer in (0, 1) for sort in ("encoder_self", "feed_forward")]
    assert found.key_parts == (*names[:2], *layers, ("biases", None))
    assert reasons(source, NOTHING, HeadRef("encoder_self", 0, 0)).key_parts == (*names[:2], ("biases", None))


def test_each_part_is_what_its_module_made(small_model, source):
    """Queries of cross-attention, layer 1: each part by hand from tables, heads and modules, each through the norm."""
    layer, found = small_model.decoder.layers[1], reasons(source, NOTHING, HeadRef("cross", 1, 2))
    gathered = outputs(small_model, *(f"decoder.layers.{name}.heads_hook" for name in ("0.self_attn", "0.cross_attn")))
    residual, rerun = outputs(small_model, "decoder.layers.0", "decoder.layers.1.self_attn")
    first = small_model.decoder.layers[0]
    attention = [
        sum(heads[head] @ block.out_proj.weight[:, 4 * head : 4 * head + 4].double().T for head in range(4))
        for heads, block in zip(gathered, (first.self_attn, first.cross_attn), strict=True)
    ]
    token = small_model.decoder.embedding.tokens.weight[TGT[0]].double() * math.sqrt(16)
    position = sinusoidal_table(4, 16).double()
    biases = [block.out_proj.bias.double() for block in (first.self_attn, first.cross_attn)]
    feed_forward = residual - token - position - sum(attention) - sum(biases)
    own_bias = layer.self_attn.out_proj.bias.double()
    by_hand = [token, position, *attention, feed_forward, rerun - own_bias]
    x, norm = residual + rerun, layer.cross_attn_norm
    rate = 1 / np.sqrt(x.detach().numpy().var(-1, keepdims=True) + norm.eps)
    weight = layer.cross_attn.q_proj.weight[8:12].detach().double().numpy()
    for part, values in enumerate(by_hand):
        part_of_x = values.detach().numpy()
        normed = (part_of_x - part_of_x.mean(-1, keepdims=True)) * rate * norm.weight.detach().double().numpy()
        np.testing.assert_allclose(found.query[part], normed @ weight.T, atol=1e-5)
        assert np.abs(found.query[part]).max() > 1e-2


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_is_what_the_score_loses_with_the_part_while_the_norm_is_held(small_model, source, kind):
    """A part taken out of the stream before the norm, whose mean and variance stay: the module's own scores."""
    found = reasons(source, NOTHING, HeadRef(kind, 1, 3))
    side = "encoder" if kind == "encoder_self" else "decoder"
    layer = small_model.get_submodule(f"{side}.layers.1")
    norm, block = (
        (layer.cross_attn_norm, layer.cross_attn) if kind == "cross" else (layer.self_attn_norm, layer.self_attn)
    )
    (part,) = outputs(small_model, f"{side}.layers.0.feed_forward")
    before = hooked(small_model, SRC, TGT)[kind][1, 3]

    def without(_module, args):
        query, *rest = args
        held = torch.rsqrt(seen[0].var(-1, unbiased=False, keepdim=True) + norm.eps)
        return (query - (part - part.mean(-1, keepdim=True)).float() * held * norm.weight, *rest)

    seen: list[torch.Tensor] = []
    hooks = [
        norm.register_forward_pre_hook(lambda _m, args: seen.append(args[0].detach())),
        block.q_proj.register_forward_pre_hook(without),
    ]
    try:
        after = hooked(small_model, SRC, TGT)[kind][1, 3]
    finally:
        for hook in hooks:
            hook.remove()
    row = found.query_parts.index(StreamPart("feed_forward", 0))
    np.testing.assert_allclose(before - after, tables(found)[:, :, row].sum(-1), atol=1e-5)
    assert np.abs(before - after).max() > 1e-2


def test_a_part_that_writes_nothing_has_empty_cells(small_model, source):
    small_model.encoder.layers[0].feed_forward.down_proj.weight.data.zero_()
    small_model.encoder.layers[0].feed_forward.down_proj.bias.data.zero_()
    found = reasons(source, NOTHING, HeadRef("cross", 0, 1))
    column = found.key_parts.index(StreamPart("feed_forward", 0))
    assert (tables(found)[..., column] == 0).all()
    assert np.abs(tables(found)).sum((0, 1, 2)).argmin() == column
    assert found.holds


def test_a_wrong_part_does_not_hold(source):
    found = reasons(source, NOTHING, HeadRef("decoder_self", 1, 1))
    assert found.holds
    found.query[0] *= 1.01
    assert not found.holds


def test_the_largest_entries_come_first_whatever_their_sign():
    table = np.array([[0.1, -3.0], [2.0, 0.0]])
    assert largest(table, 3) == [(0, 1), (1, 0), (0, 0)]
    assert len(largest(table, 9)) == 4


def test_both_streams_are_kept_only_where_they_are_asked_for(small_model, source):
    ids = source.ids("", ())
    assert source.forced(ids, Ask(stream=True)).source_stream is None
    seen = source.forced(ids, Ask(source_stream=True))
    assert seen.stream is None
    (last,) = outputs(small_model, "encoder.layers.1")
    np.testing.assert_allclose(seen.source_stream.levels[-1], last, atol=1e-6)
    assert seen.source_stream.levels.shape == (3, 5, 16)


def test_a_head_or_a_key_that_is_not_there_is_refused(source):
    with pytest.raises(IndexError, match="L9 H0"):
        reasons(source, NOTHING, HeadRef("cross", 9, 0))
    with pytest.raises(IndexError, match="4 queries and 5 keys"):
        reasons(source, NOTHING, HeadRef("cross", 0, 0)).table(0, 5)


@shipped
@pytest.mark.parametrize("text", [HOSTILE, "I"])
def test_any_text_splits(en_zh, text):
    made = en_zh.translate(text)
    assert all(reasons(en_zh, made, HeadRef(kind, 5, 7)).holds for kind in KINDS)
