"""What is known of a checkpoint before PyTorch is loaded."""

from __future__ import annotations

import json
from pathlib import Path

from model.errors import CheckpointError
from model.folders import CHECKPOINTS, CONFIG, resolve
from model.own.network.config import facts
from model.source import Facts

__all__ = ["Facts", "read_facts"]


def read_facts(name: str, root: Path = CHECKPOINTS) -> Facts:
    """The sizes of a checkpoint, from its config.json.

    Raises:
        CheckpointError: there is no such checkpoint, or its config.json does not say its sizes.
    """
    try:
        return facts(json.loads((resolve(name, root) / CONFIG).read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        raise CheckpointError(f"{name} has no {CONFIG} that says its sizes") from None
