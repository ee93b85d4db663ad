"""The lines of a file of sentences that measure."""

from __future__ import annotations

from pathlib import Path

from model.errors import CorpusError


def numbered_cells(path: Path) -> list[tuple[int, list[str]]]:
    """The cells of each line of a TSV file, with its number from 1.

    Raises:
        CorpusError: the file cannot be read, or is empty.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"cannot read {path}: {error}") from None
    if not lines:
        raise CorpusError(f"{path} holds no sentence")
    return [(number, line.split("\t")) for number, line in enumerate(lines, 1)]
