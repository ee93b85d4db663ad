"""Sentence pairs from a TSV file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from model.errors import CorpusError, HeadlightError

Row = tuple[str, str, str]  # English, Chinese, source


def read_rows(path: Path) -> list[Row]:
    """English, Chinese and source of every line of a TSV file; the source is "" without a third column.

    Raises:
        CorpusError: the file is missing, not UTF-8, empty, or a line lacks one of the two sides.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").removesuffix("\n").split("\n")
    except FileNotFoundError:
        raise CorpusError(f"there is no file {path}") from None
    except (UnicodeDecodeError, OSError) as error:
        raise CorpusError(f"cannot read {path}: {error}") from None
    if lines == [""]:
        raise CorpusError(f"{path} holds no sentence pair")
    return [pair_of(line, f"{path} line {number}") for number, line in enumerate(lines, 1)]


def pair_of(line: str, where: str) -> Row:
    """English, Chinese and source of one line; ``where`` it stands is said in the error.

    Raises:
        CorpusError: it lacks one of the two sides.
    """
    cells = [cell.strip() for cell in line.split("\t")]
    if len(cells) < 2 or not cells[0] or not cells[1]:
        raise CorpusError(f"{where}: expected English, a tab, and Chinese")
    return cells[0], cells[1], cells[2] if len(cells) > 2 else ""


Pair = TypeVar("Pair")


def score_pairs(
    pairs: Iterable[Pair], score: Callable[[Pair], object], progress: Callable[[int], object] = lambda _: None
) -> dict[int, str]:
    """Score every pair; why a pair was left out, by its number, counted from 1.

    Args:
        pairs: of a corpus.
        score: what is done with a pair; a ``HeadlightError`` leaves it out.
        progress: called with the number of pairs done.

    Raises:
        CorpusError: no pair could be scored; the sentence says why the first could not.
    """
    refused, number = {}, 0
    for number, pair in enumerate(pairs, 1):
        try:
            score(pair)
        except HeadlightError as error:
            refused[number] = str(error)
        progress(number)
    if len(refused) == number:
        raise CorpusError(
            f"no sentence pair could be scored; the first: {next(iter(refused.values()), 'there is none')}"
        )
    return refused
