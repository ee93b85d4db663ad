"""The table of faithfulness that comes with a checkpoint. Needs no PyTorch."""

from __future__ import annotations

from typing import Any

from model.analysis.maps.sorts import DRAWN
from model.tables import load_table

FAITHFULNESS = "faithfulness.json"
MEASURES = ("comprehensiveness", "sufficiency", "rank_correlation", "token_cost", "token_rank_correlation")
LOWER_IS_BETTER = ("sufficiency",)
RANDOM, LEAVE_ONE_OUT = "random", "leave_one_out"
ROWS = (*DRAWN, RANDOM, LEAVE_ONE_OUT)


def load_faithfulness(checkpoint: str, sha256: str) -> tuple[dict[str, Any] | None, str]:
    """The table of a checkpoint, where these weights made it; else None and why, see ``load_table``."""
    return load_table(checkpoint, FAITHFULNESS, sha256, _is_complete)


def _is_complete(table: dict[str, Any]) -> bool:
    return int(table["sentences"]) > 0 and all(_has(table, measure) for measure in MEASURES)


def _has(table: dict[str, Any], measure: str) -> bool:
    """True where every row has a number, or null, for this measure, and the best one is named.

    Raises:
        KeyError, TypeError: it is not even a table.
    """
    cells = [table["drawn"][name][measure] for name in ROWS]
    numbers = [cell[part] for cell in cells for part in ("mean", "se")]
    best = table["best"][measure]
    named = best["drawn"] in DRAWN and best["next"] in DRAWN
    return named and all(each is None or isinstance(each, int | float) for each in (*numbers, best["lead"], best["se"]))
