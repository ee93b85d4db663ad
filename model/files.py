"""Files are written aside and renamed: whoever reads one, or is left with one, has all of it. Needs no PyTorch."""

from __future__ import annotations

import json
import os
import re
import stat
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from model.errors import NotWrittenError

PART = ".part"  # what the name of a file ends with that is not whole yet
_SYSTEM = re.compile(r"\(os error (\d+)\)")  # how libraries that are written in Rust tell of the system's errors


@contextmanager
def aside(path: Path) -> Iterator[Path]:
    """Where to write what is to become ``path``: beside it; renamed when the block ends well, else deleted.

    The file is on the disk before it has its name. What is no plain file, a pipe or a device, is written itself.

    Raises:
        NotWrittenError: the system would not write it; what was there before is as it was.
    """
    path = path.resolve()  # of a link, what it leads to
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        yield path
        return
    part = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}{PART}")
    try:
        yield part
        with part.open("r+b") as file:
            os.fsync(file.fileno())
        part.replace(path)
    except Exception as error:
        said = _system_says(error, part)
        if said is None:
            raise
        raise NotWrittenError(
            f"{path.name} could not be written ({said}); what was there before is unchanged"
        ) from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _system_says(error: Exception, part: Path) -> str | None:
    """What the system has against writing a file; None where an error is about something else."""
    if isinstance(error, OSError):
        return error.strerror if error.filename in (None, str(part), part) else None
    told = _SYSTEM.search(str(error))
    return os.strerror(int(told[1])) if told else None


@contextmanager
def all_aside(*paths: Path) -> Iterator[list[Path]]:
    """As ``aside``, for files that belong together: all are written before the first is renamed, the last one last."""
    with ExitStack() as stack:
        parts = [stack.enter_context(aside(path)) for path in reversed(paths)]
        yield parts[::-1]


def write_bytes(path: Path, data: bytes) -> Path:
    """Write a file's bytes; the file. Raises as ``aside``."""
    with aside(path) as part:
        part.write_bytes(data)
    return path


def write_text(path: Path, text: str) -> Path:
    """Write a file's text, as UTF-8; the file. Raises as ``aside``."""
    with aside(path) as part:
        part.write_text(text, encoding="utf-8")
    return path


def write_json(path: Path, value: object) -> Path:
    """Write a value as JSON for people to read; the file. Raises as ``aside``."""
    return write_text(path, json_text(value))


def json_text(value: object) -> str:
    """A value as JSON for people to read."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> Path:
    """Write arrays by name as one compressed NPZ; the file. Raises as ``aside``."""
    with aside(path) as part, part.open("wb") as file:
        np.savez_compressed(file, **arrays)
    return path


def leftovers(folder: Path) -> list[Path]:
    """Files of a folder that somebody began to write and did not end, because he was killed, say."""
    return sorted(folder.glob(f".*{PART}"))
