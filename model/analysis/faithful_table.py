"""The table of faithfulness that comes with a checkpoint. Needs no PyTorch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from model.analysis.drawn import DRAWN
from model.folders import resolve

FAITHFULNESS = "faithfulness.json"
MEASURES = ("comprehensiveness", "sufficiency", "rank_correlation", "token_cost", "token_rank_correlation")
LOWER_IS_BETTER = ("sufficiency",)
RANDOM, LEAVE_ONE_OUT = "random", "leave_one_out"
ROWS = (*DRAWN, RANDOM, LEAVE_ONE_OUT)


def save_faithfulness(checkpoint: str, table: dict[str, Any]) -> Path:
    """Write a table as the checkpoint's faithfulness.json; the file that was written."""
    path = resolve(str(checkpoint)) / FAITHFULNESS
    path.write_text(json.dumps(table, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    return path


def load_faithfulness(checkpoint: str, sha256: str) -> tuple[dict[str, Any] | None, str]:
    """The table of a checkpoint, where these weights made it; else None, and "missing", "damaged" or "stale"."""
    path = resolve(checkpoint) / FAITHFULNESS
    if not path.is_file():
        return None, "missing"
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        complete = all(_is_complete(table, measure) for measure in MEASURES) and int(table["sentences"]) > 0
    except (OSError, ValueError, KeyError, TypeError):
        return None, "damaged"
    if not complete:
        return None, "damaged"
    return (table, "") if table.get("sha256") == sha256 else (None, "stale")


def _is_complete(table: dict[str, Any], measure: str) -> bool:
    """True where every row has a number, or null, for this measure, and the best one is named.

    Raises:
        KeyError, TypeError: it is not even a table.
    """
    cells = [table["drawn"][name][measure] for name in ROWS]
    numbers = [cell[part] for cell in cells for part in ("mean", "se")]
    best = table["best"][measure]
    named = best["drawn"] in DRAWN and best["next"] in DRAWN
    return named and all(each is None or isinstance(each, int | float) for each in (*numbers, best["lead"], best["se"]))
