"""The file of an atlas: a zip of JSON, of which each head's page is read by itself. Needs no PyTorch."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from model.files import aside
from model.trace import KINDS, HeadRef, Kind

ATLAS = "atlas.zip"
BOOK_VERSION = 1
_INDEX = "index.json"
_LONGEST = 4 * 2**20  # bytes of one unpacked page; more is no page of ours
_EPOCH = (1980, 1, 1, 0, 0, 0)


def write_book(path: Path, index: Mapping[str, Any], pages: Mapping[str, Mapping[str, Any]]) -> Path:
    """Write an atlas aside, then rename it; the same atlas is the same bytes."""
    members = {_INDEX: {"version": BOOK_VERSION, **index}, **{f"{code}.json": page for code, page in pages.items()}}
    with aside(path) as part, zipfile.ZipFile(part, "w") as book:
        for name, value in members.items():
            text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            info = zipfile.ZipInfo(name, _EPOCH)
            info.external_attr = 0o644 << 16
            book.writestr(info, text, zipfile.ZIP_DEFLATED, 9)
    return path


@dataclass(frozen=True)
class Atlas:
    """What every head of a model does over a corpus."""

    path: Path  # of the file
    facts: dict[str, Any]  # ``sha256`` of the weights, ``command``, ``file``, ``lines`` and more
    # of each kind ``layers``, ``heads``, ``rows``, ``sentences``, ``measures`` and ``errors`` by name [N], ``roles``
    # [N], ``offset_at`` [N]
    kinds: dict[Kind, dict[str, Any]]

    @property
    def heads(self) -> list[HeadRef]:
        """Every head, kind by kind, layer by layer."""
        return [
            HeadRef(kind, layer, head)
            for kind, own in self.kinds.items()
            for layer in range(own["layers"])
            for head in range(own["heads"])
        ]

    @property
    def measures(self) -> list[str]:
        """Names of what was measured of any kind, in the order in which they stand there."""
        return list(dict.fromkeys(name for own in self.kinds.values() for name in own["measures"]))

    def place(self, head: HeadRef) -> int:
        """Where a head stands among those of its kind."""
        return head.layer * int(self.kinds[head.kind]["heads"]) + head.head

    def value(self, head: HeadRef, measure: str, what: str = "measures") -> float:
        """A head's measure, or of ``errors`` its standard error; NaN where there is none."""
        values = self.kinds[head.kind][what].get(measure)
        found = None if values is None else values[self.place(head)]
        return float("nan") if found is None else float(found)

    def values(self, measure: str) -> np.ndarray:
        """A measure of every head, in the order of ``heads``: float64 [N], NaN where there is none."""
        return np.array([self.value(head, measure) for head in self.heads])

    def page(self, head: HeadRef) -> dict[str, Any] | None:
        """A head's page; None where the file has none, or it cannot be read."""
        return _member(self.path, f"{head.code}.json")


def read_atlas(folder: Path) -> Atlas | None:
    """The atlas that lies in a folder; None where there is none, or it cannot be read.

    Whether it belongs to a checkpoint's weights, ``facts["sha256"]`` tells.
    """
    path = folder / ATLAS
    index = _member(path, _INDEX)
    try:
        if index is None or index["version"] != BOOK_VERSION:
            return None
        kinds: dict[Kind, dict[str, Any]] = {kind: index["kinds"][kind] for kind in KINDS if kind in index["kinds"]}
        atlas = Atlas(path, dict(index["facts"]), kinds)
        sizes = {kind: own["layers"] * own["heads"] for kind, own in kinds.items()}
        fine = all(len(own["roles"]) == sizes[kind] == len(own["offset_at"]) for kind, own in kinds.items())
        return atlas if fine and kinds and atlas.measures else None
    except (KeyError, TypeError, AttributeError):
        return None


def _member(path: Path, name: str) -> dict[str, Any] | None:
    """One JSON object of a zip; None where it is not there, too large, or none."""
    try:
        with zipfile.ZipFile(path) as book:
            if book.getinfo(name).file_size > _LONGEST:
                return None
            value = json.loads(book.read(name))
        return value if isinstance(value, dict) else None
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError):
        return None
