from __future__ import annotations

import threading

import numpy as np
import pytest
import torch

from model.own.capture import capture_attention, hook_name
from model.own.network.attention import MultiHeadAttention
from model.own.network.transformer import Transformer
from model.own.text.vocab import BOS_ID, EOS_ID
from model.trace import KINDS, AttentionTrace, Label
from model.translator import Translator

SRC = torch.tensor([[11, 12, 13, 14, EOS_ID]])
TGT = torch.tensor([[BOS_ID, 7, 8, 9]])


def watched(model: Transformer) -> list[str]:
    return [name for name, module in model.named_modules() if module._forward_hooks]


def test_capture_changes_no_output(model: Transformer) -> None:
    without = model(SRC, TGT)
    with capture_attention(model) as captured:
        within = model(SRC, TGT)
    # The fused kernel sums in another order: equal to about 1e-6, not to the bit.
    torch.testing.assert_close(within, without, atol=1e-5, rtol=1e-5)
    assert torch.equal(model(SRC, TGT), without)
    assert len(captured.values) == 2 * (2 + 3 + 3)


def test_no_hook_survives_an_exception(model: Transformer) -> None:
    def fail() -> None:
        with capture_attention(model):
            assert len(watched(model)) == 16
            raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        fail()
    assert watched(model) == []


def test_only_the_kinds_asked_for_are_watched(model: Transformer) -> None:
    with capture_attention(model, ("weights_hook",), ("cross",)):
        assert watched(model) == [f"decoder.layers.{layer}.cross_attn.weights_hook" for layer in range(3)]


def test_hook_names_are_an_interface(model: Transformer) -> None:
    assert hook_name("encoder_self", 0, "scores_hook") == "encoder.layers.0.self_attn.scores_hook"
    assert hook_name("decoder_self", 2, "weights_hook") == "decoder.layers.2.self_attn.weights_hook"
    assert hook_name("cross", 1, "value_hook") == "decoder.layers.1.cross_attn.value_hook"
    for kind in KINDS:
        for hook in MultiHeadAttention.HOOKS:
            assert isinstance(model.get_submodule(hook_name(kind, 1, hook)), torch.nn.Identity)


def test_muting_a_head_changes_the_translation_model(model: Transformer) -> None:
    before = model(SRC, TGT)

    def mute(_module: object, _inputs: object, weights: torch.Tensor) -> torch.Tensor:
        return weights * torch.tensor([0.0, 1.0, 1.0, 1.0])[:, None, None]

    handle = model.get_submodule(hook_name("cross", 1, "weights_hook")).register_forward_hook(mute)
    with capture_attention(model) as captured:
        muted = model(SRC, TGT)
    handle.remove()
    assert not torch.allclose(before, muted, atol=1e-4)
    assert (captured.stack(model, "cross")[1, 0] == 0).all()
    assert torch.equal(model(SRC, TGT), before)


def test_a_traces_maps_fit_their_tokens(translator: Translator) -> None:
    translation = translator.trace("Tom didn't see the car.", "汤姆没看见车。")
    trace = translation.trace
    assert trace is not None
    assert trace.src[-1].text == "<eos>"
    assert [label.text for label in trace.tgt_inputs] == ["<bos>", *"汤姆没看见车。"]
    assert [label.text for label in trace.tgt_outputs] == [*"汤姆没看见车。", "<eos>"]
    src, tgt = len(trace.src), len(trace.tgt_inputs)
    assert trace.encoder_self.shape == (2, 4, src, src)
    assert trace.decoder_self.shape == (2, 4, tgt, tgt)
    assert trace.cross.shape == (2, 4, tgt, src)
    for kind in KINDS:
        assert trace.weights[kind].dtype == trace.scores[kind].dtype == np.float32
        np.testing.assert_allclose(trace.weights[kind].sum(-1), 1, atol=1e-5)
        assert tuple(map(len, trace.axis_tokens(kind))) == trace.map(kind, 1, 3).shape
    assert (np.triu(trace.decoder_self, 1) == 0).all()
    softmax = np.exp(trace.scores["cross"]) / np.exp(trace.scores["cross"]).sum(-1, keepdims=True)
    np.testing.assert_allclose(softmax, trace.cross, atol=1e-5)


def test_a_trace_refuses_labels_that_do_not_fit() -> None:
    maps = {kind: np.zeros((1, 1, 2, 2), np.float32) for kind in KINDS}
    two, three = (Label("a"), Label("b")), (Label("a"), Label("b"), Label("c"))
    trace = AttentionTrace(two, two, two, maps, maps)
    with pytest.raises(ValueError, match=r"got L0 H5"):
        trace.map("cross", 0, 5)
    with pytest.raises(ValueError, match="axes hold"):
        AttentionTrace(three, two, two, maps, maps)


def test_two_threads_get_their_own_maps(translator: Translator) -> None:
    sentences = ["I love you.", "Where is the street? Tom didn't see the red car in Boston."]
    alone = [translator.translate(sentence, capture=True).trace for sentence in sentences]
    results: dict[int, list[AttentionTrace | None]] = {0: [], 1: []}

    def visitor(number: int) -> None:
        for _ in range(5):
            results[number].append(translator.translate(sentences[number], capture=True).trace)

    threads = [threading.Thread(target=visitor, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, expected in enumerate(alone):
        assert expected is not None
        assert len(results[number]) == 5
        for trace in results[number]:
            assert trace is not None
            assert trace.src == expected.src
            np.testing.assert_array_equal(trace.cross, expected.cross)
    assert watched(translator.model) == []
