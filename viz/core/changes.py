"""Models whose files change, come or go while the server runs: every answer is then forgotten."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from threading import Lock

from model.folders import CHECKPOINTS, CONFIG, META, MODELS, WEIGHTS
from viz.core import models
from viz.core.kept import forget_answers

_FILES = (META, CONFIG, WEIGHTS, f"{WEIGHTS}.index.json")  # of a folder, which tell its weights from others
Stamp = tuple[int, int, int] | None
_lock = Lock()
_seen: list[dict[str, Stamp]] = []


def follow_files() -> bool:
    """Forget every answer where a model's files are not what they were at the call before; whether they are not.

    What was opened of a folder that is gone goes on to answer whoever asks it already; the next run of a page does not
    know it any more. A training that writes its log and its state beside them changes nothing.
    """
    with _lock:
        now = _stamps()
        changed = bool(_seen) and _seen[0] != now
        if changed:
            models.forget()
            forget_answers()
            now = _stamps()
        _seen[:] = [now]
    return changed


def _stamps() -> dict[str, Stamp]:
    """Number, size and time of every file that tells models apart, and of the folders that hold them."""
    shelves = [CHECKPOINTS, *([Path(os.environ[MODELS])] if os.environ.get(MODELS) else [])]
    files = [entry.path / name for entry in models.entries().values() for name in _FILES]
    files += [entry.path for entry in models.entries().values() if entry.sort == "maps"]
    return {str(path): _stamp(path) for path in (*shelves, *files)}


def _stamp(path: Path) -> Stamp:
    with suppress(OSError):
        told = path.stat()
        return told.st_ino, told.st_size, told.st_mtime_ns
    return None
