"""A Hugging Face folder looked at before any of it is loaded: whatever is wrong is one sentence. Needs no PyTorch."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from model.errors import FolderError

CONFIG_FILE, WEIGHTS_FILE, INDEX_FILE = "config.json", "model.safetensors", "model.safetensors.index.json"
MOST_JSON = 2**20  # bytes of a config.json; an index may have 16 times as many
MOST_HEADER = 2**26
MOST_LAYERS, MOST_SIZE = 512, 2**24  # larger numbers in a config.json are no sizes of a model
# What could send transformers elsewhere: to code in the folder, to a kernel on a hub, to another folder.
NEVER = {"auto_map", "quantization_config", "custom_pipelines", "torchscript", "dtype", "torch_dtype", "base_model"}
NEVER |= {"_attn_implementation", "attn_implementation", "_attn_implementation_internal", "_name_or_path"}
NEVER |= {"_commit_hash", "experts_implementation", "_experts_implementation", "kernel_config"}
# One of these must be there whole: transformers 5 makes an empty tokenizer where it finds none, and says nothing.
VOCABULARIES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "marian": (("source.spm", "target.spm", "vocab.json"),),
    "m2m_100": (("tokenizer.json",), ("vocab.json", "sentencepiece.bpe.model"), ("sentencepiece.bpe.model",)),
    "": (
        ("tokenizer.json",),
        ("vocab.txt",),
        ("vocab.json", "merges.txt"),
        ("spiece.model",),
        ("sentencepiece.bpe.model",),
        ("tokenizer.model",),
    ),
}


def read_config(path: Path) -> dict[str, Any]:
    """What the config.json of a folder says, less what is never followed.

    Raises:
        FolderError: there is no folder, it is no model, or a number in it is no size of one.
    """
    name = path.name
    if not path.is_dir():
        raise FolderError(f"There is no folder {name}.")
    if (path / "adapter_config.json").is_file():
        raise FolderError(f"{name} is an adapter (PEFT), not a whole model: merge it into its base model first.")
    if not (path / CONFIG_FILE).is_file():
        raise FolderError(f"{name} has no {CONFIG_FILE}, so nothing says what model it is.")
    config = _json(path / CONFIG_FILE, MOST_JSON)
    if not isinstance(config.get("model_type"), str):
        raise FolderError(f"The {CONFIG_FILE} of {name} names no model_type.")
    if config.get("quantization_config"):
        raise FolderError(f"{name} is quantized: Headlight needs plain floating-point weights.")
    kept = _plain(config)
    _bounded(kept, name)
    return kept


def weight_files(path: Path) -> list[Path]:
    """The safetensors files of a folder.

    Raises:
        FolderError: there are none, or not all; where only a pickle is there, the sentence says what to do.
    """
    files, index = [path / WEIGHTS_FILE], path / INDEX_FILE
    if not files[0].is_file() and index.is_file():
        named = _json(index, 16 * MOST_JSON).get("weight_map")
        if not isinstance(named, dict) or not all(isinstance(each, str) for each in named.values()):
            raise FolderError(f"The {INDEX_FILE} of {path.name} cannot be read.")
        files = [path / each for each in sorted(set(named.values()))]
    for file in files:
        if file.parent != path or "/" in file.name:
            raise FolderError(f"The {INDEX_FILE} of {path.name} points outside the folder.")
        if not file.is_file():
            raise FolderError(_lacking(path, file))
    return files


def stored_numbers(path: Path) -> int:
    """How many numbers the safetensors files of a folder hold, by their headers alone.

    Raises:
        FolderError: a file is cut short, or is something else.
    """
    return sum(_numbers(file, path.name) for file in weight_files(path))


def check_vocabulary(path: Path, model_type: str) -> None:
    """Nothing, where the files of a tokenizer are there.

    Raises:
        FolderError: they are not.
    """
    sets = VOCABULARIES.get(model_type, VOCABULARIES[""])
    lacks = [[file for file in one if not (path / file).is_file()] for one in sets]
    if all(lacks):
        fewest = min(lacks, key=len)
        missing = f"{' and '.join(fewest)} {'is' if len(fewest) == 1 else 'are'} missing"
        raise FolderError(f"{path.name} has no vocabulary: {missing}.")


def available_memory() -> int | None:
    """Bytes of memory that programs can still have; None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    free = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    return free[0] if free else None


def _lacking(path: Path, file: Path) -> str:
    pickles = sorted(each.name for each in path.glob("*.bin"))
    if pickles and file.name == WEIGHTS_FILE:
        return (
            f"{path.name} has its weights only as {pickles[0]}, a pickle, which could run code when it is opened: "
            f"python -m model convert {path.name} makes {WEIGHTS_FILE} of it."
        )
    return f"{file.name} is missing from {path.name}."


def _numbers(file: Path, name: str) -> int:
    broken = FolderError(f"{file.name} of {name} is cut short, or only a Git LFS pointer: download it again.")
    with file.open("rb") as opened:
        start = opened.read(8)
        size = struct.unpack("<Q", start)[0] if len(start) == 8 else MOST_HEADER + 1
        if size > MOST_HEADER:
            raise broken
        try:
            header = json.loads(opened.read(size))
            tensors = [each for key, each in header.items() if key != "__metadata__"]
            end = max((int(each["data_offsets"][1]) for each in tensors), default=0)
            numbers = sum(math.prod(map(int, each["shape"])) for each in tensors)
        except (ValueError, TypeError, KeyError, AttributeError, IndexError):
            raise broken from None
    if 8 + size + end > file.stat().st_size:
        raise broken
    return numbers


def _json(path: Path, most: int) -> dict[str, Any]:
    name = f"{path.name} of {path.parent.name}"
    try:
        if path.stat().st_size > most:
            raise FolderError(f"The {name} is larger than {most / 2**20:g} MB.")
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise FolderError(f"The {name} cannot be read as JSON.") from None
    if not isinstance(found, dict):
        raise FolderError(f"The {name} is no JSON object.")
    return found


def _plain(config: Mapping[str, Any]) -> dict[str, Any]:
    """A config without the keys that are never followed, at any depth."""
    return {
        key: _plain(value) if isinstance(value, dict) else value for key, value in config.items() if key not in NEVER
    }


def _bounded(config: Mapping[str, Any], name: str) -> None:
    for key, number in _numbers_of(config):
        most = MOST_LAYERS if "layers" in key else MOST_SIZE
        if abs(number) > most and "theta" not in key and not key.endswith(("_id", "_ids")) and key != "max_length":
            raise FolderError(f"The {CONFIG_FILE} of {name} says {key} = {number}, which is no size of a model.")


def _numbers_of(config: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    for key, value in config.items():
        if isinstance(value, dict):
            yield from _numbers_of(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            yield key, value
