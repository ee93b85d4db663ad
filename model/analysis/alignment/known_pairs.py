"""Pairs whose alignment is known, which come with this program, and a checkpoint's table of scores on them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from model.analysis.alignment.gold import RULES, GoldPair, read_gold
from model.analysis.alignment.word_maps import ALIGN_METHODS, ALL
from model.attribution.methods import SHIFTS, MethodName
from model.tables import Table, load_table

TRUTH = Path(__file__).resolve().parents[2] / "truth" / "en-zh.tsv"
ALIGNMENT = "alignment.json"
LETTERS = (
    "headlight", "stressed", "abc123", "attention", "drawer", "q", "ab", "zebra7", "lantern", "mirror",
    "2026", "translator", "x1y2z3", "noon", "sequence", "keyboards", "transformer", "position", "softmax", "level",
)  # fmt: skip


def truth_pairs(src_tokenizer: str) -> list[GoldPair]:
    """Pairs whose links are known, for a checkpoint whose source tokenizer is of this kind.

    For English and Chinese they were written and linked by hand; for letters that are written backwards
    the rule gives them: letter i goes with letter n − 1 − i.
    """
    return read_gold(TRUTH) if src_tokenizer == "english" else [reversed_pair(word) for word in LETTERS]


def reversed_pair(word: str) -> GoldPair:
    """Letters, the same letters backwards, and the links between them."""
    links = frozenset((len(word) - 1 - tgt, tgt) for tgt in range(len(word)))
    return GoldPair(tuple(word), tuple(reversed(word)), links, links, by_letter=True)


def load_alignment(checkpoint: str, sha256: str) -> tuple[dict[str, Any] | None, str]:
    """The table of a checkpoint, where these weights made it; else None and why, see ``load_table``."""
    return load_table(checkpoint, ALIGNMENT, sha256, _is_complete)


def unaligned_methods(table: Table) -> set[MethodName]:
    """The methods that an alignment table lacks, since they were added after it was made."""
    return {name for name in ALIGN_METHODS if any(name not in by_method for by_method in table["aer"].values())}


def _is_complete(table: Table) -> bool:
    """Whether every rule has rates of the same methods, the best ones among them; those added later may be missing."""
    head, best = table["best_head"], table["best"]
    first, *others = (set(table["aer"][rule]) for rule in RULES)
    named = {"weights", head["method"], best["method"]} <= first and best["method"] in ALIGN_METHODS
    rates = [rows[shift] for rule in RULES for rows in table["aer"][rule].values() for shift in SHIFTS]
    if not named or any(each != first for each in others) or any(not {"layers", ALL} <= set(each) for each in rates):
        return False
    whole = {type(head[key]) for key in ("layer", "head")} == {int} and head["shift"] in SHIFTS
    return whole and head["kind"] == "cross"


def best_writer(table: dict[str, Any]) -> dict[str, Any]:
    """The head that aligns best while it writes: ``kind``, ``layer``, ``head``, ``shift`` and ``aer`` in percent.

    A word's row is the step that writes it, by weights, under the rule of the table's best head. (That head's own
    row may be the step that has read the word, which is too late to say why it was written.)
    """
    rates = table["aer"][table["best_head"]["links"]]["weights"]["written"]["layers"]
    layer, head = best_place(rates)
    return {"kind": "cross", "layer": layer, "head": head, "shift": "written", "aer": float(rates[layer][head])}


def best_place(rates: Sequence[Sequence[float]]) -> tuple[int, int]:
    """Layer and head of the lowest error rate; each layer's last rate, that of its heads together, is left out."""
    alone = np.array(rates, dtype=float)[:, :-1]
    layer, head = np.unravel_index(np.nanargmin(alone), alone.shape)
    return int(layer), int(head)
