"""A local Hugging Face folder loaded: no host is looked up, no code of it runs, no pickle is opened."""

from __future__ import annotations

import json
import os
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

os.environ["HF_HUB_OFFLINE"] = "1"  # read once, when huggingface_hub is imported
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

import torch
import transformers
from torch import nn
from transformers.utils import logging as _logging

from model.errors import FolderError
from model.folder import watch
from model.folder.files import look

if "huggingface_hub" in sys.modules:  # somebody imported it earlier, with what the environment said then
    sys.modules["huggingface_hub"].constants.HF_HUB_OFFLINE = True
_SAFE: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
PICTURE_FILE = "preprocessor_config.json"
MOST_SETTINGS = 2**20  # bytes of it
MOST_OF_SOUND = {"feature_size": 512, "sampling_rate": 96_000, "hop_length": 4_096, "chunk_length": 60, "n_fft": 8_192}


class Loaded(NamedTuple):
    """A model in evaluation mode, and what makes its input: a tokenizer, for pictures or sound a processor, or both."""

    model: Any
    tokenizer: Any
    processor: Any


def load(path: Path) -> Loaded:
    """The model of a folder, on Headlight's attention function where its family knows the registry.

    Raises:
        FolderError: something is wrong with it, or its kind of model is not known.
    """
    path = path.resolve()
    raw = look.read_config(path)
    _logging.disable_progress_bar()
    named = _class_of(path.name, raw)
    sees = getattr(named, "main_input_name", "") == "pixel_values"
    hears = issubclass(named, transformers.WhisperForConditionalGeneration)
    spells = not sees or issubclass(named, transformers.VisionEncoderDecoderModel)
    if spells:
        look.check_vocabulary(path, raw["model_type"])
    if sees and not (path / PICTURE_FILE).is_file():
        raise FolderError(f"{path.name} has no {PICTURE_FILE}, which says how a picture is made ready.")
    if hears:
        _check_extractor(path)
    config = _config_of(path.name, raw)
    _check_size(path, named, config)
    model = _weights(path, named, config)
    tokenizer = _reads(path, transformers.AutoTokenizer, "tokenizer") if spells else None
    processor = _reads(path, transformers.AutoImageProcessor, "image processor") if sees else _looks(path, named)
    if hears:
        processor = _reads(path, transformers.WhisperFeatureExtractor, "feature extractor")
    if tokenizer is not None:
        _check_ids(path.name, model, tokenizer)
    model.set_attn_implementation(watch.NAME)
    return Loaded(model, tokenizer, processor)


def _class_of(name: str, raw: dict[str, Any]) -> type[transformers.PreTrainedModel]:
    kind = raw["model_type"]
    if kind not in transformers.CONFIG_MAPPING:
        raise FolderError(f"{name} is of a type that transformers {transformers.__version__} does not know: {kind!r}.")
    classes = raw.get("architectures")
    said = classes[0] if isinstance(classes, list) and classes and isinstance(classes[0], str) else ""
    found = getattr(transformers, said, None) if said.isidentifier() else None
    if not (isinstance(found, type) and issubclass(found, transformers.PreTrainedModel)):
        raise FolderError(f"The config.json of {name} names no model of transformers under architectures: {said!r}.")
    return found


def _config_of(name: str, raw: dict[str, Any]) -> transformers.PretrainedConfig:
    """The config of the model's own class, made of keys that this class knows."""
    kind = transformers.CONFIG_MAPPING[raw["model_type"]]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            config = kind.from_dict(dict(raw))
    except Exception as error:
        raise FolderError(f"The config.json of {name} does not make a model: {_short(error)}") from None
    config._attn_implementation = "eager"
    return config


def _check_size(path: Path, named: Any, config: Any) -> None:
    """The weights fit the config, and both fit into memory; looked at before any memory is taken.

    Raises:
        FolderError: they do not.
    """
    stored = look.stored_numbers(path)
    needed, free = 4 * stored, look.available_memory()
    if free is not None and needed > 0.9 * free:
        sizes = f"{needed / 2**30:.1f} GB of memory, and {free / 2**30:.1f} GB are free"
        raise FolderError(f"{path.name} needs {sizes}.")
    try:
        with torch.device("meta"):
            empty = named(config)
    except Exception as error:
        raise FolderError(f"The config.json of {path.name} does not make a model: {_short(error)}") from None
    asked = sum(parameter.numel() for parameter in empty.parameters())
    if asked > 2 * stored + 1_000:
        raise FolderError(
            f"The config.json of {path.name} asks for {asked:,} weights, but its files hold {stored:,}: "
            "they do not belong together."
        )


def _weights(path: Path, named: Any, config: Any) -> transformers.PreTrainedModel:
    try:
        model, info = named.from_pretrained(
            path, config=config, use_safetensors=True, dtype=torch.float32, output_loading_info=True, **_SAFE
        )
    except Exception as error:
        if "mismatch" in str(error):
            raise FolderError(f"The weights of {path.name} have other sizes than its config.json says.") from None
        raise FolderError(f"{path.name} cannot be loaded: {_short(error)}") from None
    if missing := sorted(info["missing_keys"]):
        raise FolderError(
            f"{len(missing)} weights are missing from {path.name}, {missing[0]} first; they would be random numbers."
        )
    if info.get("mismatched_keys"):
        raise FolderError(f"The weights of {path.name} have other sizes than its config.json says.")
    found: transformers.PreTrainedModel = model.eval().requires_grad_(False)
    return found


def _reads(path: Path, maker: Any, what: str) -> object:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found: object = maker.from_pretrained(path, **_SAFE)
            return found
    except Exception as error:
        raise FolderError(f"The {what} of {path.name} cannot be loaded: {_short(error)}") from None


def _looks(path: Path, named: Any) -> object:
    """The image processor of a model that reads pictures within a text, where its folder has one; else None."""
    reads = hasattr(named, "get_image_features") and named.can_generate()
    if not (reads and any((path / each).is_file() for each in (PICTURE_FILE, "processor_config.json"))):
        return None
    with suppress(FolderError):
        return _reads(path, transformers.AutoImageProcessor, "image processor")
    return None


def _check_extractor(path: Path) -> None:
    """What says how a sound is made ready is there, and asks for no more than Whisper's does.

    Raises:
        FolderError: it is not, or does.
    """
    file = path / PICTURE_FILE
    try:
        said = json.loads(file.read_bytes()[:MOST_SETTINGS]) if file.is_file() else None
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise FolderError(f"{path.name} has no {PICTURE_FILE} that can be read, which says how a sound is made ready.")
    for name, most in MOST_OF_SOUND.items():
        value = said.get(name, 1)
        if not isinstance(value, int) or not 0 < value <= most:
            raise FolderError(f"The {PICTURE_FILE} of {path.name} says {name} {str(value)[:20]}; the most is {most:,}.")


def _check_ids(name: str, model: nn.Module, tokenizer: Any) -> None:
    try:
        known, rows = len(tokenizer), int(model.get_input_embeddings().weight.shape[0])  # type: ignore[operator]
    except (NotImplementedError, AttributeError, TypeError):
        raise FolderError(
            f"{name} has no one table of token embeddings: it does not read text alone, or by parts of its own."
        ) from None
    if known > rows:
        raise FolderError(f"The tokenizer of {name} has {known} tokens, but the model {rows}: they do not go together.")


def _short(error: Exception) -> str:
    """The beginning of what a library says, in one line."""
    said = " ".join(str(error).split()) or type(error).__name__
    return said if len(said) <= 160 else f"{said[:159]}…"
