"""The lines of a corpus for an atlas: each in a bucket by its hash, so that neither order nor machine matters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from model.analysis.alignment.gold import GoldPair, gold_pair
from model.errors import CorpusError
from model.pairs import BUCKETS, digest_of, pair_of

BATCH = 32  # sentences gone through at once, at most
_AREA = BATCH * 40**2  # cells of one head's maps in a batch, about: long sentences go through in fewer at once
_SAMPLE_SALT = 0x9E3779B97F4A7C15  # makes another hash of a line's own


class Line(NamedTuple):
    """A sentence pair: its texts, their hash, and the links of its words where people gave them."""

    src: str
    tgt: str
    digest: int
    gold: GoldPair | None = None


@dataclass(frozen=True)
class LineCorpus:
    """A file of sentence pairs, of which only places and hashes are kept in memory: 16 bytes a line."""

    path: Path  # of the file
    linked: bool  # whether it is one of ``align``'s, with words linked by people
    # digests, offsets: of each line used, uint64 [N] and int64 [N]
    digests: np.ndarray
    offsets: np.ndarray

    @classmethod
    def of(cls, path: Path, linked: bool = False, limit: int | None = None) -> LineCorpus:
        """Read the file once.

        Raises:
            CorpusError: it is missing, not UTF-8, empty, or has a bad line.
        """
        digests, offsets = [], []
        for number, (offset, text) in enumerate(_lines(path), 1):
            if limit is not None and number > limit:
                break
            digests.append(_parsed(text, f"{path} line {number}", linked).digest)
            offsets.append(offset)
        if not digests:
            raise CorpusError(f"{path} holds no sentence pair")
        return cls(path, linked, np.array(digests, np.uint64), np.array(offsets, np.int64))

    @property
    def fingerprint(self) -> str:
        """Says which lines there are, in whatever order: the sum of their hashes, in hexadecimal digits."""
        return f"{int(self.digests.sum(dtype=np.uint64)):016x}"

    def buckets(self, part: int = 0, parts: int = 1) -> list[int]:
        """The buckets of one part of so many, counted from 0; each bucket is in one part."""
        return list(range(part, BUCKETS, parts))

    def size(self, bucket: int) -> int:
        """How many lines a bucket holds."""
        return int((self.digests % np.uint64(BUCKETS) == np.uint64(bucket)).sum())

    def batches(self, bucket: int) -> Iterator[list[Line]]:
        """The lines of a bucket, long with long, so that padding is short; the same ones whatever their order."""
        places = np.flatnonzero(self.digests % np.uint64(BUCKETS) == np.uint64(bucket))
        with self.path.open("rb") as file:
            lines = [self._line_at(file, int(self.offsets[place])) for place in places]
        lines.sort(key=lambda line: (len(line.src), len(line.tgt), line.digest, line.src, line.tgt))
        batch: list[Line] = []
        for line in lines:
            if batch and ((len(batch) + 1) * max(map(_length, (*batch, line))) ** 2 > _AREA or len(batch) == BATCH):
                yield batch
                batch = []
            batch.append(line)
        if batch:
            yield batch

    def sampled(self, digest: int, sentences: int) -> bool:
        """Whether a line is in a sample of about so many, by a hash that has nothing to do with its bucket."""
        other = (digest * _SAMPLE_SALT) % 2**64
        return (other >> 11) * len(self.digests) < sentences * 2**53

    def _line_at(self, file: object, offset: int) -> Line:
        file.seek(offset)  # type: ignore[attr-defined]
        return _parsed(file.readline().decode("utf-8"), str(self.path), self.linked)  # type: ignore[attr-defined]


def _length(line: Line) -> float:
    """About how many tokens the longer side has: an English one has some four letters, a Chinese one is a character."""
    return max(len(line.src) / 4, len(line.tgt))


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Where each line begins, in bytes, and its text; a mark of byte order is no part of it."""
    offset = 0
    try:
        with path.open("rb") as file:
            for raw in file:
                yield offset, raw.decode("utf-8")
                offset += len(raw)
    except FileNotFoundError:
        raise CorpusError(f"there is no file {path}") from None
    except (UnicodeDecodeError, OSError) as error:
        raise CorpusError(f"cannot read {path}: {error}") from None


def _parsed(text: str, where: str, linked: bool) -> Line:
    text = text.removeprefix("\ufeff").rstrip("\r\n")
    if linked:
        gold = gold_pair(text, where)
        return Line(gold.src_text, gold.tgt_text, digest_of(gold.src_text, gold.tgt_text), gold)
    src, tgt, _ = pair_of(text, where)
    return Line(src, tgt, digest_of(src, tgt))
