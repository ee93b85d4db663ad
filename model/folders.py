"""Where checkpoints lie and what their files are called. Needs no PyTorch."""

from __future__ import annotations

import re
from pathlib import Path

from model.errors import CheckpointError

CHECKPOINTS = Path(__file__).resolve().parent.parent / "checkpoints"
WEIGHTS, CONFIG, META, LOG = "model.safetensors", "config.json", "meta.json", "training_log.jsonl"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def available(root: Path = CHECKPOINTS) -> list[str]:
    """Names of the checkpoints under a folder, in alphabetical order."""
    return sorted(path.parent.name for path in root.glob(f"*/{WEIGHTS}"))


def resolve(name: str, root: Path = CHECKPOINTS) -> Path:
    """The folder of a checkpoint given by its name, or by a path that holds a ``/``.

    Raises:
        CheckpointError: there is none; the message lists those that exist.
    """
    path = root / name if _NAME.fullmatch(name) else Path(name)
    if not path.is_dir():
        raise CheckpointError(f"there is no checkpoint {name!r}; there are: {', '.join(available(root)) or 'none'}")
    return path
