"""Tables of measurements that lie beside a checkpoint's weights as small JSON files. Needs no PyTorch."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from model.files import write_text
from model.folders import resolve

Table = dict[str, Any]


def save_table(checkpoint: str, file: str, table: Table) -> Path:
    """Write a table into a checkpoint's folder; the file that was written."""
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":")) + "\n"
    return write_text(resolve(str(checkpoint)) / file, text)


def load_table(
    checkpoint: str, file: str, sha256: str, is_complete: Callable[[Table], bool]
) -> tuple[Table | None, str]:
    """The table of a checkpoint, where these weights made it; else None, and "missing", "damaged" or "stale".

    Args:
        checkpoint: name or folder.
        file: of the table.
        sha256: of the weights.
        is_complete: whether a table has all that its readers look for; where it stumbles, it has not.
    """
    path = resolve(checkpoint) / file
    if not path.is_file():
        return None, "missing"
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        if not is_complete(table):
            return None, "damaged"
    except (OSError, ValueError, KeyError, TypeError):
        return None, "damaged"
    return (table, "") if table.get("sha256") == sha256 else (None, "stale")
