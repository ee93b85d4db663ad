"""Sentence pairs from a TSV file, and what each of them scores: parts made anywhere are put together as one run."""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from model.errors import CorpusError, HeadlightError
from model.files import write_arrays
from model.passage import one_thread

Row = tuple[str, str, str]  # English, Chinese, source
BUCKETS = 512  # of lines by their hash; no more parts than this


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
    pairs: Sequence[Pair], score: Callable[[Pair], object], progress: Callable[[int], object] = lambda _: None
) -> dict[int, str]:
    """Score every pair; why a pair was left out, by its number, counted from 1.

    Args:
        pairs: of a corpus.
        score: what is done with a pair; a ``HeadlightError`` leaves it out.
        progress: called with the number of pairs done.

    Raises:
        CorpusError: no pair could be scored; the sentence says why the first could not.
    """
    refused = _tried(enumerate(pairs, 1), lambda _, pair: score(pair), progress)
    if len(refused) == len(pairs):
        raise _none_scored(refused)
    return refused


def _tried(
    numbered: Iterable[tuple[int, Pair]], score: Callable[[int, Pair], object], progress: Callable[[int], object]
) -> dict[int, str]:
    """Score pairs with their numbers; why a pair was left out, by its number."""
    refused = {}
    for done, (number, pair) in enumerate(numbered, 1):
        try:
            score(number, pair)
        except HeadlightError as error:
            refused[number] = str(error)
        progress(done)
    return refused


def _none_scored(refused: Mapping[int, str]) -> CorpusError:
    why = refused[min(refused)] if refused else "there is none"
    return CorpusError(f"no sentence pair could be scored; the first: {why}")


def digest_of(src: str, tgt: str) -> int:
    """The hash of a pair, below 2**64: of its two texts alone."""
    return int.from_bytes(hashlib.blake2b(f"{src}\t{tgt}".encode(), digest_size=8).digest(), "big")


# What reading a file of arrays may raise that is none, or that was cut off while it was copied.
UNREADABLE = (
    *(OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, IndexError),
    *(zipfile.BadZipFile, zlib.error),
)
TABLE_PART_VERSION = 1
PairArrays = dict[str, np.ndarray]  # of one pair, by name; a name has one shape in all pairs


@dataclass
class PairScores:
    """What each pair of a corpus scored."""

    facts: dict[str, Any]  # what parts of one run share; ``pairs`` is how many there are in all
    # of each pair, by its number in the file, counted from 1
    scores: dict[int, PairArrays] = field(default_factory=dict)
    refused: dict[int, str] = field(default_factory=dict)  # why a pair was left out, by its number

    @classmethod
    def of(
        cls,
        pairs: Sequence[Pair],
        score: Callable[[int, Pair], PairArrays],
        progress: Callable[[int], object] = lambda _: None,
        facts: dict[str, Any] | None = None,
        numbers: Iterable[int] | None = None,
    ) -> PairScores:
        """Score pairs, on one thread of PyTorch, so that a part has the same bits as the whole.

        Args:
            pairs: all of the corpus.
            score: what a pair of that number scores; a ``HeadlightError`` leaves it out.
            progress: called with the number of pairs done.
            facts: of the run, see ``run_facts``.
            numbers: of those to score, see ``numbers_of``; without them all.
        """
        found = cls(facts or {"pairs": len(pairs)})

        def keep(number: int, pair: Pair) -> None:
            found.scores[number] = score(number, pair)

        these = range(1, len(pairs) + 1) if numbers is None else numbers
        with one_thread():
            found.refused = _tried(((number, pairs[number - 1]) for number in these), keep, progress)
        return found

    def all(self) -> list[PairArrays]:
        """The scores in the order of the file.

        Raises:
            CorpusError: no pair could be scored; the sentence says why the first could not.
        """
        if not self.scores:
            raise _none_scored(self.refused)
        return [self.scores[number] for number in sorted(self.scores)]

    def save(self, path: Path) -> Path:
        """Write the file aside, then rename it: it is whole, or not there."""
        arrays: dict[str, np.ndarray] = {}
        for name in dict.fromkeys(name for each in self.scores.values() for name in each):
            numbers = [number for number, each in self.scores.items() if name in each]
            arrays[f"numbers/{name}"] = np.array(numbers)
            arrays[f"scores/{name}"] = np.stack([self.scores[number][name] for number in numbers])
        said = {
            "version": TABLE_PART_VERSION,
            "facts": self.facts,
            "refused": self.refused,
            "scored": list(self.scores),
        }
        arrays["json"] = np.frombuffer(json.dumps(said, ensure_ascii=False).encode(), np.uint8)
        return write_arrays(path, arrays)

    def add(self, path: Path) -> None:
        """Add what the file of another part holds.

        Raises:
            CorpusError: it is no such file, is of another run, or has a pair that is there already.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                said = json.loads(file["json"].tobytes())
                if said["version"] != TABLE_PART_VERSION or said["facts"] != self.facts:
                    raise CorpusError(f"{path} is of another run: its model, corpus or settings differ")
                scored, refused = set(said["scored"]), {int(number): why for number, why in said["refused"].items()}
                if {*scored, *refused} & {*self.scores, *self.refused}:
                    raise CorpusError(f"{path} has pairs that another part has")
                self.refused |= refused
                self.scores |= {number: {} for number in scored}
                for name in [name.removeprefix("scores/") for name in file.files if name.startswith("scores/")]:
                    for number, values in zip(file[f"numbers/{name}"], file[f"scores/{name}"], strict=True):
                        self.scores[int(number)][name] = values
        except UNREADABLE as error:
            raise CorpusError(f"{path} is no part of a table: {error}") from None


def run_facts(command: str, model: str, sha256: str | None, texts: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """What parts of one run share: what is computed, with which weights, of which pairs in which order."""
    fingerprint = hashlib.blake2b("".join(f"{digest_of(*pair):016x}" for pair in texts).encode(), digest_size=16)
    return {
        "command": command,
        "model": model,
        "sha256": sha256,
        "pairs": len(texts),
        "fingerprint": fingerprint.hexdigest(),
    }


def numbers_of(texts: Sequence[tuple[str, str]], part: int, parts: int) -> list[int]:
    """Which pairs, counted from 1, are in a part of so many, counted from 0: as in an atlas, by a pair's hash."""
    return [number for number, pair in enumerate(texts, 1) if digest_of(*pair) % BUCKETS % parts == part]


def merged(facts: dict[str, Any], paths: Iterable[Path]) -> PairScores:
    """All pairs of a run from the files of its parts, in whatever order.

    Raises:
        CorpusError: a part cannot be read, is of another run, overlaps with another, or pairs are missing.
    """
    found = PairScores(facts)
    for path in paths:
        found.add(path)
    missing = facts["pairs"] - len(found.scores) - len(found.refused)
    if missing:
        raise CorpusError(f"the parts lack {missing} of {facts['pairs']} pairs")
    found.scores = dict(sorted(found.scores.items()))
    found.refused = dict(sorted(found.refused.items()))
    return found
