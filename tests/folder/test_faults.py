"""Whatever is wrong with a folder is one clear sentence, and nothing of it runs or is looked up."""

from __future__ import annotations

import json
import shutil
import socket
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from model.commands.convert import convert
from model.errors import FolderError, MapsTooLargeError
from model.folder import telling
from model.folder.files import look
from model.folder.source import FolderSource
from tests.folder.registry import architectures, tried

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def broken(folders, tmp_path):
    """A copy of a folder, to be broken."""

    def copy(name: str = "bert") -> Path:
        return Path(shutil.copytree(folders(name), tmp_path / name))

    return copy


def config(path: Path, **changes: object) -> None:
    """Change the config.json of a folder; None takes a key away."""
    file = path / "config.json"
    told = {**json.loads(file.read_text()), **changes}
    file.write_text(json.dumps({key: value for key, value in told.items() if value is not None}))


def without_a_weight(path: Path) -> None:
    weights = load_file(path / "model.safetensors")
    del weights["bert.encoder.layer.1.attention.self.query.weight"]
    save_file(weights, path / "model.safetensors", metadata={"format": "pt"})


def cut(path: Path) -> None:
    file = path / "model.safetensors"
    file.write_bytes(file.read_bytes()[:5000])


def endless(path: Path) -> None:
    (path / "model.safetensors").write_bytes(struct.pack("<Q", 2**60) + b"{}")


def pickled(path: Path) -> None:
    torch.save(load_file(path / "model.safetensors"), path / "pytorch_model.bin")
    (path / "model.safetensors").unlink()


def elsewhere(path: Path) -> None:
    (path / "model.safetensors").unlink()
    (path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": "../bert/x.safetensors"}}))


def half(path: Path) -> None:
    (path / "model.safetensors").unlink()
    (path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": "a.safetensors"}}))


FAULTS = {
    "no config": (lambda path: (path / "config.json").unlink(), "has no config.json"),
    "no JSON": (lambda path: (path / "config.json").write_text("{"), "cannot be read as JSON"),
    "a list": (lambda path: (path / "config.json").write_text("[]"), "is no JSON object"),
    "nested": (lambda path: (path / "config.json").write_text("[" * 100_000), "cannot be read as JSON"),
    "no type": (lambda path: config(path, model_type=None), "names no model_type"),
    "unknown type": (
        lambda path: config(path, model_type="mine", auto_map={"AutoModel": "x.Y"}),
        "does not know: 'mine'",
    ),
    "no class": (lambda path: config(path, architectures=["os.system"]), "names no model of transformers"),
    "no model": (lambda path: config(path, architectures=["BertTokenizer"]), "names no model of transformers"),
    "quantized": (lambda path: config(path, quantization_config={"bits": 4}), "is quantized"),
    "adapter": (lambda path: (path / "adapter_config.json").write_text("{}"), "is an adapter"),
    "pickle": (pickled, "a pickle, which could run code"),
    "cut": (cut, "is cut short"),
    "pointer": (lambda path: (path / "model.safetensors").write_text("version https://git-lfs"), "Git LFS pointer"),
    "endless header": (endless, "is cut short"),
    "shard missing": (half, "a.safetensors is missing"),
    "points outside": (elsewhere, "points outside the folder"),
    "weight missing": (without_a_weight, "1 weights are missing from bert, bert.encoder.layer.1"),
    "other sizes": (lambda path: config(path, intermediate_size=64), "other sizes than its config.json says"),
    "too deep": (lambda path: config(path, num_hidden_layers=10**9), "num_hidden_layers = 1000000000"),
    "much too large": (lambda path: config(path, vocab_size=10**7), "do not belong together"),
    "no tokenizer": (lambda path: (path / "tokenizer.json").unlink(), "has no vocabulary"),
    "other heads": (lambda path: config(path, num_attention_heads=5), "does not make a model"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_folder_is_one_sentence(broken, fault):
    path = broken()
    harm, sentence = FAULTS[fault]
    harm(path)
    with pytest.raises(FolderError, match=sentence) as caught:
        FolderSource.open(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).count(". ") <= 1


@pytest.mark.parametrize("file", ["source.spm", "target.spm", "vocab.json"])
def test_a_marian_without_one_of_its_vocabularies_says_which(broken, file):
    path = broken("marian")
    (path / file).unlink()
    with pytest.raises(FolderError, match=f"{file} is missing"):
        FolderSource.open(path)


def test_a_tokenizer_of_another_model_is_refused(broken, folders):
    path = broken("bert")
    shutil.copy(folders("llama") / "tokenizer.json", path / "tokenizer.json")
    shutil.copy(folders("llama") / "tokenizer_config.json", path / "tokenizer_config.json")
    with pytest.raises(FolderError, match="has 900 tokens, but the model 700"):
        FolderSource.open(path)


def test_a_picture_model_without_its_processor_says_so(broken):
    path = broken("vit")
    (path / "preprocessor_config.json").unlink()
    with pytest.raises(FolderError, match="how a picture is made ready"):
        FolderSource.open(path)


def test_windows_are_refused_with_their_shape(folders):
    with pytest.raises(FolderError, match="maps are 1 × 4 × 4 × 9 for 4 tokens"):
        FolderSource.open(folders("longformer"))


def test_a_model_that_hears_and_writes_nothing_is_refused_as_one(folders, tmp_path):
    path = Path(shutil.copytree(folders("whisper"), tmp_path / "whisper"))
    config(path, architectures=["WhisperModel"])
    with pytest.raises(FolderError, match="whisper reads sound: Headlight opens models of text and pictures"):
        FolderSource.open(path)


def test_a_kernel_and_code_in_the_config_are_never_followed_and_no_host_is_looked_up(broken, monkeypatch):
    path = broken()
    (path / "evil.py").write_text("raise SystemExit('ran')")
    config(path, _attn_implementation="someone/kernel", auto_map={"AutoModel": "evil.Evil"}, _name_or_path="a/b")
    tokenizer = path / "tokenizer_config.json"
    tokenizer.write_text(
        json.dumps({**json.loads(tokenizer.read_text()), "auto_map": {"AutoTokenizer": ["evil.T", None]}})
    )

    def refuse(*_args: object, **_more: object) -> None:
        raise AssertionError("a host was looked up")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert FolderSource.open(path).translate("A [MASK].").tgt_ids


def test_a_model_larger_than_the_memory_is_refused_before_it_is_loaded(folders, monkeypatch):
    monkeypatch.setattr(look, "available_memory", lambda: 1000)
    with pytest.raises(FolderError, match="GB of memory"):
        FolderSource.open(folders("bert"))


def test_maps_that_are_too_large_are_refused_before_memory_is_taken(opened, monkeypatch):
    monkeypatch.setattr(telling, "MOST_BYTES_OF_MAPS", 1000)
    with pytest.raises(MapsTooLargeError, match="the limit is"):
        opened("bert").translate("The old [MASK].", capture=True)
    assert opened("bert").translate("The old [MASK].").tgt_ids


def test_a_pickle_is_converted_only_when_asked_and_gives_the_same_model(broken, opened):
    path = broken()
    pickled(path)
    assert convert(path) == path / "model.safetensors"
    ours, theirs = (
        each.translate("The old [MASK].", capture=True) for each in (FolderSource.open(path), opened("bert"))
    )
    np.testing.assert_array_equal(ours.trace.encoder_self, theirs.trace.encoder_self)
    with pytest.raises(FolderError, match="already"):
        convert(path)


class _Harm:
    def __reduce__(self) -> tuple:
        return (Path.touch, (Path("/tmp/headlight-was-harmed"),))


def test_a_pickle_that_would_run_code_is_not_opened(tmp_path):
    torch.save({"a": _Harm()}, tmp_path / "pytorch_model.bin")
    with pytest.raises(FolderError, match="more than weights"):
        convert(tmp_path)
    assert not Path("/tmp/headlight-was-harmed").exists()
    assert not (tmp_path / "model.safetensors").exists()


def test_threads_share_a_model_without_mixing_what_they_ask(opened):
    marian = opened("marian")
    texts = [f"The old baker {number} is here." for number in (1, 20, 300)]
    alone = [marian.translate(text, capture=True) for text in texts]
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(lambda text: marian.translate(text, capture=True), texts * 2))
    for one, other in zip(alone * 2, together, strict=True):
        assert one.tgt_ids == other.tgt_ids
        np.testing.assert_array_equal(one.trace.cross, other.trace.cross)


def test_the_shipped_translator_costs_no_import_of_transformers():
    program = (
        "import sys; from streamlit.testing.v1 import AppTest;"
        "at = AppTest.from_file('router.py', default_timeout=300);"
        "at.run(); assert not at.exception; assert 'torch' in sys.modules; print('transformers' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.split()[-1] == "False"


def test_a_tokenizer_that_never_ends_gives_up_in_a_sentence_and_the_next_text_works(broken):
    """``(a+)+$`` on sixty a's makes the tokenizers library panic, which is no Exception of Python."""
    path = broken("gpt2")
    told = json.loads((path / "tokenizer.json").read_text())
    evil = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
    told["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [evil, told["pre_tokenizer"]]}
    (path / "tokenizer.json").write_text(json.dumps(told))
    named = json.loads((path / "tokenizer_config.json").read_text())
    (path / "tokenizer_config.json").write_text(json.dumps({**named, "tokenizer_class": "PreTrainedTokenizerFast"}))
    source = FolderSource.open(path)
    with pytest.raises(FolderError, match="tokenizer gave up on this text"):
        source.translate("a" * 60 + "!")
    assert source.translate("The old baker").tgt_ids


OPEN = {
    "LlamaForSequenceClassification": "sentence",  # a decoder without a layer that writes
    "Qwen3Model": "sentence",
    "GPTNeoXForCausalLM": "prompt",
    "SwitchTransformersForConditionalGeneration": "text",
    "PegasusForConditionalGeneration": "text",
    "Dinov2WithRegistersForImageClassification": "picture",  # registers stand before the patches
    "CLIPForImageClassification": "picture",  # the size of patches stands in the part about the picture
    "XLNetModel": "sentence",  # its config says that it has no limit, by -1
    "MiniMaxForCausalLM": "prompt",
    "WhisperForConditionalGeneration": "sound",
}
REFUSED = {
    "CLIPModel": "no one table of token embeddings",
    "T5Model": "has no layer that writes words",
    "MobileNetV2ForImageClassification": "names no square patches",
    "LongformerForMaskedLM": "does not let every token see every token",
    "ViTMAEModel": "leaves some out",
    "WhisperModel": "reads sound",
    "Speech2TextForConditionalGeneration": "reads sound",
}
KINDS = {name: kind for kind, name in architectures()}


@pytest.mark.parametrize("name", OPEN)
def test_an_architecture_opens_and_its_maps_are_those_of_eager_attention(name: str) -> None:
    state, said = tried(KINDS[name], name)
    assert (state, said.split(":")[0]) == ("open", OPEN[name]), said


@pytest.mark.parametrize("name", REFUSED)
def test_an_architecture_is_refused_in_a_sentence_that_is_true_of_it(name: str) -> None:
    state, said = tried(KINDS[name], name)
    assert state == "refused", said
    assert REFUSED[name] in said
