from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch

from model.errors import CheckpointError
from model.folders import available, resolve
from model.own import checkpoint


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
