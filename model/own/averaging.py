"""The mean of the weights of two checkpoints that began alike."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from model.errors import CheckpointError
from model.folders import CONFIG, LOG, META, WEIGHTS
from model.own.checkpoint import load

_SAME = (CONFIG, "src.json", "tgt.json", "casing.json")  # files that both must have alike


def average(first: Path, second: Path, share: float, to: Path, command: str) -> None:
    """Write a checkpoint whose weights are ``(1 - share)·first + share·second``; all else is that of the second.

    Weights of one run, or of a run and of what it began with, lie in one basin, and their mean is often better
    than either (Wortsman et al. 2022, Model soups).

    Args:
        first, second: folders of checkpoints of one shape, with the same vocabularies.
        share: of the second, 0 to 1.
        to: a folder, made where it is not there.
        command: what was typed, for meta.json.

    Raises:
        CheckpointError: a checkpoint is damaged, the two do not fit together, or the share is outside 0 to 1.
    """
    if not 0 <= share <= 1:
        raise CheckpointError(f"the share must be from 0 to 1, got {share:g}")
    parents = [load(folder).meta for folder in (first, second)]
    for name in _SAME:
        if _bytes(first / name) != _bytes(second / name):
            raise CheckpointError(f"{first.name} and {second.name} have different {name}: their mean means nothing")
    one, other = (load_file(folder / WEIGHTS) for folder in (first, second))
    mean = {name: _mean(one[name], other[name], share) for name in one}
    to.mkdir(parents=True, exist_ok=True)
    for name in (*_SAME, LOG):
        if (second / name).is_file():
            shutil.copy(second / name, to / name)
    save_file(mean, to / WEIGHTS)
    digest = hashlib.sha256((to / WEIGHTS).read_bytes()).hexdigest()
    averaged = {"command": command, "share": share, "of": [meta.get("sha256") for meta in parents]}
    meta = {**parents[1], "averaged": averaged, "sha256": digest}
    meta.pop("scores", None)  # of other weights
    (to / META).write_text(json.dumps(meta, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def keep_score(folder: Path, dev_bleu: float) -> None:
    """Write BLEU on dev, greedy, into a checkpoint's meta.json."""
    meta = json.loads((folder / META).read_text(encoding="utf-8"))
    meta["scores"] = {**meta.get("scores", {}), "dev_bleu_greedy": dev_bleu}
    (folder / META).write_text(json.dumps(meta, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _mean(one: torch.Tensor, other: torch.Tensor, share: float) -> torch.Tensor:
    return ((1 - share) * one.float() + share * other.float()).to(one.dtype)


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""
