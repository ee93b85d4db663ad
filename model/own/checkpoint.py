"""A checkpoint is a folder that explains itself: weights, config, vocabularies, meta, training log."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from model.errors import CheckpointError
from model.files import all_aside, json_text, write_json
from model.folders import CHECKPOINTS, CONFIG, LOG, META, WEIGHTS, available, resolve
from model.own.network.config import TransformerConfig
from model.own.network.transformer import Transformer
from model.own.text.tokenize import CharacterTokenizer, EnglishTokenizer

FORMAT_VERSION = 1
BACKWARD = "backward"  # in a checkpoint's folder: a folder with the model that reads its translations back
__all__ = ["CHECKPOINTS", "CONFIG", "LOG", "META", "WEIGHTS", "Checkpoint", "available", "load", "resolve", "save"]


@dataclass(frozen=True)
class Checkpoint:
    """A loaded checkpoint: the model in evaluation mode, its tokenizers, and what meta.json says."""

    model: Transformer
    src_tokenizer: EnglishTokenizer | CharacterTokenizer
    tgt_tokenizer: CharacterTokenizer
    meta: dict[str, Any]


def load(path: Path, device: torch.device | str = "cpu") -> Checkpoint:
    """Load a checkpoint folder; weights stored as fp16 become float32.

    Raises:
        CheckpointError: a file is missing or damaged, a config key is unknown, the format is newer
            than this program, or the weights do not fit the config.
    """
    meta = _read_json(path / META)
    if meta.get("format_version") != FORMAT_VERSION:
        raise CheckpointError(
            f"{path.name} has format_version {meta.get('format_version')}, this program reads {FORMAT_VERSION}"
        )
    try:
        model = _transformer(path)
        src, tgt = load_tokenizers(path, meta.get("src_tokenizer", EnglishTokenizer.kind))
    except (ValueError, TypeError, RuntimeError, SafetensorError) as error:
        raise CheckpointError(f"{path.name} cannot be loaded: {' '.join(str(error).split())}") from None
    for name, tokenizer, size in (
        ("src.json", src, model.config.src_vocab_size),
        ("tgt.json", tgt, model.config.tgt_vocab_size),
    ):
        if tokenizer.vocab_size != size:
            raise CheckpointError(f"{name} of {path.name} holds {tokenizer.vocab_size} tokens, the config says {size}")
    return Checkpoint(model.to(device).eval(), src, tgt, meta)


def at_snapshot(loaded: Checkpoint, path: Path) -> Checkpoint:
    """The checkpoint with the weights of a snapshot that its training left; everything else stays.

    Raises:
        CheckpointError: the snapshot belongs to a model of other sizes, or cannot be read.
    """
    try:
        model = _filled(loaded.model.config, path)
    except (OSError, RuntimeError, SafetensorError) as error:
        raise CheckpointError(f"the snapshot {path.name} cannot be loaded: {' '.join(str(error).split())}") from None
    device = next(loaded.model.parameters()).device
    return replace(loaded, model=model.to(device).eval())


def load_backward(path: Path, loaded: Checkpoint) -> Transformer | None:
    """The backward model beside a checkpoint, p(source | translation) by its vocabularies, or None.

    Raises:
        CheckpointError: a file is missing or damaged, or it is of other vocabularies.
    """
    folder = path / BACKWARD
    if not folder.is_dir():
        return None
    try:
        model = _transformer(folder)
    except (ValueError, TypeError, RuntimeError, SafetensorError) as error:
        raise CheckpointError(f"{path.name}/{BACKWARD} cannot be loaded: {' '.join(str(error).split())}") from None
    sizes = (model.config.tgt_vocab_size, model.config.src_vocab_size)
    if sizes != (loaded.src_tokenizer.vocab_size, loaded.tgt_tokenizer.vocab_size):
        raise CheckpointError(f"{path.name}/{BACKWARD} is of other vocabularies than {path.name}")
    return model.to(next(loaded.model.parameters()).device).eval()


def _transformer(folder: Path) -> Transformer:
    return _filled(TransformerConfig.from_dict(_read_json(folder / CONFIG)), _require(folder / WEIGHTS))


def _filled(config: TransformerConfig, weights: Path) -> Transformer:
    """A model of these sizes with the weights of a file, as float32; raises what torch and safetensors do."""
    model = Transformer(config)
    model.load_state_dict({name: tensor.float() for name, tensor in load_file(weights).items()}, strict=True)
    return model


def load_tokenizers(path: Path, kind: str) -> tuple[EnglishTokenizer | CharacterTokenizer, CharacterTokenizer]:
    """The tokenizers of a checkpoint or of a prepared folder.

    Raises:
        CheckpointError: a vocabulary file is missing or the kind is unknown.
    """
    for name in ("src.json", "tgt.json", *(("casing.json",) if kind == EnglishTokenizer.kind else ())):
        _require(path / name)
    tgt = CharacterTokenizer.load(path)
    if kind == EnglishTokenizer.kind:
        return EnglishTokenizer.load(path), tgt
    if kind == CharacterTokenizer.kind:
        return CharacterTokenizer.load(path, "src.json"), tgt
    raise CheckpointError(f"{path.name} asks for an unknown tokenizer {kind!r}")


def save(
    path: Path,
    model: Transformer,
    tokenizers: tuple[EnglishTokenizer | CharacterTokenizer, CharacterTokenizer],
    meta: dict[str, Any],
    dtype: torch.dtype = torch.float16,
) -> None:
    """Write a checkpoint folder; the weights' sha256 goes into meta.json."""
    path.mkdir(parents=True, exist_ok=True)
    weights = {name: tensor.detach().to("cpu", dtype).contiguous() for name, tensor in model.state_dict().items()}
    for tokenizer in tokenizers:
        tokenizer.save(path)
    write_json(path / CONFIG, model.config.to_dict())
    save_weights(path, weights, {"format_version": FORMAT_VERSION, "src_tokenizer": tokenizers[0].kind, **meta})


def save_weights(path: Path, weights: dict[str, torch.Tensor], meta: dict[str, Any]) -> None:
    """Write a folder's weights, and a meta.json with their sum, of which neither is ever seen with another's."""
    with all_aside(path / WEIGHTS, path / META) as (part, told):
        save_file(weights, part)
        digest = hashlib.sha256(part.read_bytes()).hexdigest()
        told.write_text(json_text({**meta, "sha256": digest}), encoding="utf-8")


def _require(path: Path) -> Path:
    if not path.is_file():
        raise CheckpointError(f"{path.name} is missing from checkpoint {path.parent.name}")
    return path


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(_require(path).read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise CheckpointError(f"{path.parent.name}/{path.name} is not readable JSON: {error}") from None
    if not isinstance(value, dict):
        raise CheckpointError(f"{path.parent.name}/{path.name} must hold a JSON object")
    return value
