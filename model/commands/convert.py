"""python -m model convert: safetensors of a folder whose weights are pickled, read without running any code."""

from __future__ import annotations

import argparse
from pathlib import Path
from pickle import UnpicklingError

import torch
from safetensors.torch import save_file
from torch import Tensor

from model.errors import FolderError
from model.files import aside
from model.folder.files.look import WEIGHTS_FILE


def convert(path: Path) -> Path:
    """``model.safetensors`` of a folder's ``pytorch_model*.bin``; the file that was written.

    Raises:
        FolderError: there is nothing to convert, or it holds more than tensors, or safetensors are there already.
    """
    if not path.is_dir():
        raise FolderError(f"There is no folder {path}.")
    target = path / WEIGHTS_FILE
    if target.exists():
        raise FolderError(f"{path.name} has {WEIGHTS_FILE} already: nothing was changed.")
    files = sorted(path.glob("pytorch_model*.bin"))
    if not files:
        raise FolderError(f"{path.name} has no pytorch_model.bin to convert.")
    tensors: dict[str, Tensor] = {}
    for file in files:
        tensors |= _tensors(file)
    apart = {name: tensor.contiguous().clone() for name, tensor in tensors.items()}  # safetensors shares no memory
    with aside(target) as part:
        save_file(apart, part, metadata={"format": "pt"})
    return target


def _tensors(file: Path) -> dict[str, Tensor]:
    try:
        found = torch.load(file, map_location="cpu", weights_only=True)
    except (UnpicklingError, RuntimeError, ValueError, EOFError, KeyError, OSError) as error:
        said = " ".join(str(error).split())[:120]
        raise FolderError(f"{file.name} holds more than weights, or is damaged, and was not opened: {said}") from None
    if not isinstance(found, dict) or not all(isinstance(each, Tensor) for each in found.values()):
        raise FolderError(f"{file.name} holds something else than named weights.")
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="with pytorch_model.bin, also in parts")


def run(args: argparse.Namespace) -> None:
    """Write model.safetensors beside the pickle, which stays."""

    written = convert(args.folder)
    print(f"wrote {written.parent.name}/{written.name}, {written.stat().st_size / 2**20:,.1f} MB")
