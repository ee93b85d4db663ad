"""Where checkpoints lie and what their files are called. Needs no PyTorch."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from os.path import isdir  # false, not an error, for a name that no file can have
from pathlib import Path
from typing import Literal, NamedTuple

from model.errors import CheckpointError, FolderError

CHECKPOINTS = Path(__file__).resolve().parent.parent / "checkpoints"
WEIGHTS, CONFIG, META, LOG = "model.safetensors", "config.json", "meta.json", "training_log.jsonl"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_STEP = re.compile(r"[0-9]{1,9}")


def available(root: Path = CHECKPOINTS) -> list[str]:
    """Names of the checkpoints of our own Transformer under a folder, in alphabetical order."""
    return [name for name, sort in _shipped(root).items() if sort == "own"]


def families(root: Path = CHECKPOINTS) -> list[str]:
    """Names of the models of other families that ship beside them, as folders that transformers reads."""
    return [name for name, sort in _shipped(root).items() if sort == "folder"]


def resolve(name: str, root: Path = CHECKPOINTS) -> Path:
    """Where a checkpoint, or a model of one's own, lies, given by its name, or by a path that holds a ``/``.

    Raises:
        CheckpointError: there is none; the message lists those that exist.
    """
    path = root / name if _NAME.fullmatch(name) else Path(name)
    if isdir(path):
        return path
    if root == CHECKPOINTS and (known := entry(name)):
        return known.path
    names = shelf() if root == CHECKPOINTS else available(root)
    raise CheckpointError(f"there is no checkpoint {name[:100]!r}; there are: {', '.join(names) or 'none'}")


MODELS = "HEADLIGHT_MODELS"  # names the folder of one's own models
Sort = Literal["own", "folder", "maps"]


class Entry(NamedTuple):
    """Something that can be chosen: a checkpoint of our own, a Hugging Face folder, or a file of saved maps."""

    path: Path
    sort: Sort


def sort_at(path: Path) -> Sort:
    """What a folder holds: a checkpoint of our own, or what transformers reads, whose config.json names its type."""
    try:
        config = json.loads((path / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        config = {}
    is_ours = (path / META).is_file() and not (isinstance(config, dict) and "model_type" in config)
    return "own" if is_ours else "folder"


def _shipped(root: Path) -> dict[str, Sort]:
    return {path.parent.name: sort_at(path.parent) for path in sorted(root.glob(f"*/{WEIGHTS}"))}


def set_models(arguments: Sequence[str]) -> None:
    """Take the folder of one's own models from arguments, ``--models DIR``, into the environment.

    Raises:
        FolderError: there is no such folder.
    """
    if (said := argument_of("--models", arguments)) is not None:
        os.environ[MODELS] = said
    folder = os.environ.get(MODELS)
    if folder and not Path(folder).is_dir():
        raise FolderError(f"There is no folder of models {folder}.")


def shelf() -> dict[str, Entry]:
    """All that can be chosen, by its name: the checkpoints that ship, then what lies in the folder of one's own models.

    That folder may also be one model itself. A name that is taken gets the folder's before it.
    """
    found = {name: Entry(CHECKPOINTS / name, "own") for name in available()}
    found |= {name: Entry(CHECKPOINTS / name, "folder") for name in families()}
    folder = os.environ.get(MODELS)
    if not folder or not Path(folder).is_dir():
        return found
    own = Path(folder).resolve()
    for path in [own] if (own / CONFIG).is_file() else sorted(own.iterdir()):
        name = f"{own.name}/{path.name}" if path.name in found else path.name
        if path.is_dir() and (path / CONFIG).is_file():
            found[name] = Entry(path, sort_at(path))
        elif path.is_file() and path.suffix == ".npz":
            found[name] = Entry(path, "maps")
    return found


def fingerprint(path: Path) -> str:
    """What tells a model's weights from others without reading them: names, sizes and times of its files."""
    files = sorted(path.glob("*.safetensors")) if path.is_dir() else [path]
    told = [f"{each.name} {each.stat().st_size} {each.stat().st_mtime_ns}" for each in files]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


def entry(name: str) -> Entry | None:
    """What a name stands for, which after ``@`` may say from which language into which; None where for nothing."""
    known = shelf()
    return known.get(name) or known.get(name.rpartition("@")[0])


def split_step(name: str) -> tuple[str, int | None]:
    """The name of a checkpoint, and after how many steps of training it is meant: "reverse@600"; None: finished."""
    base, _, step = name.rpartition("@")
    if not (base and _STEP.fullmatch(step)) or name in shelf() or isdir(name):
        return name, None
    return base, int(step)


def languages_in(name: str) -> tuple[str, str]:
    """The languages that a name asks for: "nllb@eng_Latn-zho_Hans"; two "" where it asks for none."""
    _, said, code = ("", "", "") if name in shelf() else name.rpartition("@")
    source, _, target = code.partition("-") if said else ("", "", "")
    return source, target


def argument_of(option: str, arguments: Sequence[str]) -> str | None:
    """What stands behind an option, or after its ``=``; "" where nothing does, None without the option.

    >>> argument_of("--models", ["--class", "--models", "m"]), argument_of("--class", ["--class", "--models", "m"])
    ('m', '')
    >>> argument_of("--class=", ["--class=there"]), argument_of("--class", ["--class=there"])
    (None, 'there')
    """
    for place, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if name == option:
            after = next(iter(arguments[place + 1 :]), "")
            return value or ("" if after.startswith("-") else after)
    return None
