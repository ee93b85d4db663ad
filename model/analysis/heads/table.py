"""What every head of a checkpoint does over a corpus: a small JSON file beside the weights. Needs no PyTorch."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from model.files import write_text
from model.trace import KINDS, Kind

FILE = "heads.json"
DECIMALS = 4


@dataclass(frozen=True)
class HeadTable:
    """Averages over sentence pairs, whose Chinese was forced."""

    # ``sha256`` of the weights, ``command``, ``file``, ``sentences``, ``tokens`` written (<eos> included) and their
    # mean log-probability ``nats_per_token``; ``together``: see ``muted_together``
    facts: dict[str, Any]
    # fall of the log-probability when a head is muted, nats a token, by kind: [L, H]
    importance: dict[Kind, np.ndarray]
    measures: dict[Kind, dict[str, np.ndarray]]  # those of ``roles.Profile`` by kind and name: [L, H]
    offset_at: dict[Kind, np.ndarray]  # see ``roles.Profile``
    roles: dict[Kind, list[list[str]]]  # of each head, by kind: L lists of H
    patterns: dict[Kind, dict[str, np.ndarray]]  # mean match with each named pattern, by kind and name: [L, H]
    errors: dict[Kind, np.ndarray]  # standard errors of ``importance``; NaN where they are not known

    @property
    def tokens_per_sentence(self) -> float:
        """Mean number of tokens that a sentence writes: importance a token times this is importance a sentence."""
        return float(self.facts["tokens"]) / float(self.facts["sentences"])

    def save(self, folder: Path) -> Path:
        """Write ``heads.json``, and say where it is; numbers rounded to four decimals, NaN as null."""
        value = {**self.facts, "kinds": {kind: self._of_kind(kind) for kind in self.importance}}
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        return write_text(folder / FILE, text.replace('{"importance"', '\n{"importance"') + "\n")

    def _of_kind(self, kind: Kind) -> dict[str, Any]:
        return {
            "importance": plain(self.importance[kind]),
            "importance_se": plain(self.errors[kind]),
            "measures": {name: plain(values) for name, values in self.measures[kind].items()},
            "offset_at": self.offset_at[kind].tolist(),
            "roles": self.roles[kind],
            "patterns": {name: plain(values) for name, values in self.patterns[kind].items()},
        }


def load_head_table(folder: Path) -> HeadTable | None:
    """The table that lies in a checkpoint's folder; None where there is none or it cannot be read.

    Whether it belongs to the checkpoint's weights, ``facts["sha256"]`` tells.
    """
    try:
        value = json.loads((folder / FILE).read_text(encoding="utf-8"))
        kinds = {kind: each for kind, each in value.pop("kinds").items() if kind in KINDS}
        if not kinds:
            return None
        return HeadTable(
            value,
            {kind: _array(each["importance"]) for kind, each in kinds.items()},
            {kind: {name: _array(rows) for name, rows in each["measures"].items()} for kind, each in kinds.items()},
            {kind: np.array(each["offset_at"], dtype=int) for kind, each in kinds.items()},
            {kind: each["roles"] for kind, each in kinds.items()},
            {kind: {name: _array(rows) for name, rows in each["patterns"].items()} for kind, each in kinds.items()},
            {kind: _errors(each) for kind, each in kinds.items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def plain(values: np.ndarray) -> list[list[float | None]]:
    """Rows of numbers as JSON takes them: rounded, NaN as None."""
    return [[None if np.isnan(value) else round(float(value), DECIMALS) for value in row] for row in values]


def _errors(kind: dict[str, Any]) -> np.ndarray:
    """Standard errors of a kind; not known of a table that an earlier version made."""
    importance = _array(kind["importance"])
    return _array(kind["importance_se"]) if "importance_se" in kind else np.full_like(importance, np.nan)


def _array(rows: list[list[float | None]]) -> np.ndarray:
    return np.array(rows, dtype=float)
