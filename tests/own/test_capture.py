"""Visitors who ask one translator at once each get their own answer."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch

from model.analysis.faithfulness.deletion import leave_one_out
from model.attribution.per_head import vote_maps
from model.errors import CheckpointError
from model.folders import available, resolve
from model.own import checkpoint
from model.own.capture import capture_attention, hook_name
from model.own.network.attention import MultiHeadAttention
from model.own.network.transformer import Transformer
from model.own.source import Twins, twin
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


@pytest.fixture
def folder(checkpoint_folder: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(checkpoint_folder, tmp_path / "mine"))


def edit(path: Path, **values: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **values}), encoding="utf-8")


def refusal(folder: Path) -> str:
    with pytest.raises(CheckpointError) as caught:
        checkpoint.load(folder)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_checkpoint_survives_the_round_trip(checkpoint_folder: Path, tmp_path: Path) -> None:
    first = checkpoint.load(checkpoint_folder)
    tokenizers = (first.src_tokenizer, first.tgt_tokenizer)
    checkpoint.save(tmp_path / "copy", first.model, tokenizers, {"note": "again"}, torch.float32)
    second = checkpoint.load(tmp_path / "copy")
    assert second.meta["note"] == "again"
    assert not second.model.training
    for name, tensor in first.model.state_dict().items():
        assert tensor.dtype == torch.float32
        assert torch.equal(tensor, second.model.state_dict()[name])


@pytest.mark.parametrize(
    "name", ["config.json", "meta.json", "model.safetensors", "src.json", "tgt.json", "casing.json"]
)
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert refusal(folder) == f"{name} is missing from checkpoint mine"


def test_an_unknown_config_key_is_refused(folder: Path) -> None:
    edit(folder / "config.json", n_experts=4)
    assert "unknown config key 'n_experts'" in refusal(folder)


def test_a_future_format_is_refused(folder: Path) -> None:
    edit(folder / "meta.json", format_version=2)
    assert refusal(folder) == "mine has format_version 2, this program reads 1"


def test_an_unknown_tokenizer_is_refused(folder: Path) -> None:
    edit(folder / "meta.json", src_tokenizer="runes")
    assert "unknown tokenizer 'runes'" in refusal(folder)


def test_damaged_weights_are_refused(folder: Path) -> None:
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    assert refusal(folder).startswith("mine cannot be loaded: ")
    (folder / "model.safetensors").write_bytes(b"\xff" * 100)
    assert refusal(folder).startswith("mine cannot be loaded: ")


def test_a_damaged_vocabulary_is_refused(folder: Path) -> None:
    (folder / "src.json").write_text('{"model": ', encoding="utf-8")
    assert refusal(folder).startswith("mine cannot be loaded: ")
    (folder / "casing.json").write_text("[", encoding="utf-8")
    assert refusal(folder).startswith("mine cannot be loaded: ")


def test_a_vocabulary_of_another_size_is_refused(folder: Path) -> None:
    shutil.copy(folder / "tgt.json", folder / "src.json")
    assert "src.json" in refusal(folder)


def test_weights_of_other_sizes_are_refused(folder: Path) -> None:
    edit(folder / "config.json", d_ff=64)
    assert "size mismatch" in refusal(folder)


@pytest.mark.parametrize("text", ["{", "[1]", "\x00"])
def test_unreadable_meta_is_refused(folder: Path, text: str) -> None:
    (folder / "meta.json").write_text(text, encoding="utf-8")
    assert "meta.json" in refusal(folder)


def test_an_unknown_checkpoint_lists_those_that_exist(checkpoint_folder: Path, tmp_path: Path) -> None:
    root = checkpoint_folder.parent
    assert available(root) == ["tiny"]
    assert resolve("tiny", root) == checkpoint_folder
    with pytest.raises(CheckpointError, match=r"no checkpoint 'nope'; there are: tiny"):
        resolve("nope", root)
    with pytest.raises(CheckpointError, match=r"there are: none"):
        resolve("tiny", tmp_path / "empty")


TEXTS = ("I love you.", "Tom didn't see the red car in Boston.", "The animal is tired.", "Where is the street?")


def asked(translator: Translator, text: str) -> list[np.ndarray]:
    """What one visitor asks: the translation and its maps, what deleting words costs, who voted."""
    found = translator.translate(text, capture=True)
    tables = [*found.trace.weights.values(), *found.trace.scores.values()]
    left, votes = leave_one_out(translator, found), vote_maps(translator, found)
    return [np.array(found.tgt_ids), np.array(found.log_probs), *tables, left.costs, *votes.values()]


def beamed(translator: Translator, text: str) -> list[np.ndarray]:
    found = translator.translate(text, beam=3, capture=True)
    return [np.array(found.tgt_ids), *found.trace.weights.values()]


def test_answers_asked_for_at_once_are_those_asked_for_alone(translator: Translator) -> None:
    wanted: list[tuple[Callable[..., list[np.ndarray]], str]] = [
        (ask, text) for text in TEXTS for ask in (asked, beamed)
    ]
    alone = [ask(translator, text) for ask, text in wanted]
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(lambda each: each[0](translator, each[1]), wanted * 3))
    for one, other in zip(alone * 3, together, strict=True):
        assert len(one) == len(other)
        for mine, theirs in zip(one, other, strict=True):
            np.testing.assert_array_equal(mine, theirs)
    assert any(not np.array_equal(alone[0][2], other[2]) for other in alone[2:])


def test_without_taking_turns_one_would_get_the_maps_of_the_other(model: Transformer) -> None:
    mine, theirs = torch.tensor([[5, 6, 7, 2]]), torch.tensor([[8, 9, 2]])
    with torch.inference_mode(), capture_attention(model, kinds=("encoder_self",)) as captured:
        model.encode(mine)
        own = captured.stack(model, "encoder_self")
        with capture_attention(model, kinds=("encoder_self",)):
            model.encode(theirs)
        assert captured.stack(model, "encoder_self").shape != own.shape


def test_a_twin_has_the_same_weights_and_none_of_the_same_modules(model: Transformer) -> None:
    other = twin(model)
    for one, shared in zip(
        (*model.parameters(), *model.buffers()), (*other.parameters(), *other.buffers()), strict=True
    ):
        assert one is shared
    assert not set(map(id, model.modules())) & set(map(id, other.modules()))
    with torch.inference_mode(), capture_attention(model, kinds=("encoder_self",)) as captured:
        other.encode(torch.tensor([[5, 6, 7, 2]]))
    assert captured.values == {}


def test_no_model_is_given_to_two_callers_and_a_single_one_gets_the_first(model: Transformer) -> None:
    twins = Twins(model)
    with twins.one() as mine:
        assert mine is model
        if not twins._free.empty():
            with twins.one() as theirs:
                assert theirs is not model
                assert twins._free.empty()
    with twins.one() as again:
        assert again is model
