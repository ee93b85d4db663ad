"""The table of faithfulness that comes with a checkpoint. Needs no PyTorch."""

from __future__ import annotations

from typing import Any

from model.attribution.methods import METHODS, MethodName
from model.source import Way
from model.tables import Table, load_table

FAITHFULNESS = "faithfulness.json"
MEASURES = ("comprehensiveness", "sufficiency", "rank_correlation", "token_cost", "token_rank_correlation")
LOWER_IS_BETTER = ("sufficiency",)
RANDOM = "random"
ROWS = (*METHODS, RANDOM)
BASE: MethodName = "norms"  # with which all others are compared, pair by pair
WAYS_SCORED: tuple[Way, ...] = ("mask", "remove", "average")
OWN_WAYS: tuple[Way, ...] = ("mask", "average")  # which differ most, on what the model writes itself
TARGETS = ("references", "own")  # what is forced: the pairs' other side, or what the model writes itself
PARTS_OF_CELL = ("mean", "se", "gap", "gap_se")
_NOT_MEASURED = {measure: dict.fromkeys(PARTS_OF_CELL) for measure in MEASURES}


def load_faithfulness(checkpoint: str, sha256: str) -> tuple[dict[str, Any] | None, str]:
    """The table of a checkpoint, where these weights made it; else None and why, see ``load_table``."""
    return load_table(checkpoint, FAITHFULNESS, sha256, _is_complete)


def rows_of(table: dict[str, Any], target: str = "references", way: str = "mask") -> dict[str, Any]:
    """Cells by row and measure of one setting; {} where it was not scored.

    A method that was added after the table was made has cells of None: it was not measured.
    """
    settings = (each for each in table["settings"] if (each["target"], each["way"]) == (target, way))
    found: dict[str, Any] = next(settings, {"rows": {}})["rows"]
    return {name: found.get(name, _NOT_MEASURED) for name in ROWS} if found else {}


def unscored_methods(table: Table) -> set[MethodName]:
    """The methods that a table of faithfulness lacks, since they were added after it was made."""
    return set(METHODS) - set(table["pairs"])


def _is_complete(table: Table) -> bool:
    """Whether every method in the table has all its cells in each setting; methods added later may be missing."""
    measured = set(table["pairs"])
    settings = [each["rows"] for each in table["settings"]]
    same = all(set(rows) == {*measured, RANDOM} for rows in settings) and set(table["seconds"]) == measured
    cells = [rows[name][measure][part] for rows in settings for name in rows for measure in MEASURES
             for part in PARTS_OF_CELL]  # fmt: skip
    known = all(each is None or isinstance(each, int | float) for each in cells)
    named = {table["best"], BASE} <= measured and table["best"] in METHODS
    return int(table["sentences"]) > 0 and bool(rows_of(table)) and same and known and named
