"""The table of faithfulness that comes with a checkpoint. Needs no PyTorch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from model.attribution.methods import METHODS, MethodName, attribution_maps
from model.source import Source, Way
from model.tables import Table, load_table
from model.trace import TracedTranslation

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


SCENE_TABLE = "scenes.json"  # in a checkpoint's folder
SCENE_MAPS: tuple[MethodName, ...] = ("weights", "norms", "gradient", "gradient_weight", "rollout")


def share_on(row: np.ndarray, decides: np.ndarray) -> np.ndarray:
    """Which share of what a token puts on patches falls on those that decide, by size.

    Args:
        row: the token's row of a map, or of several, [..., N]: tokens that are no patch first, then the patches.
        decides: bool [rows, columns].

    Returns:
        [...], NaN where nothing is on any patch.

    >>> float(share_on(np.array([5.0, 3.0, 0.0, -1.0, 0.0]), np.array([[True, False], [False, False]])))
    0.75
    """
    patches = np.abs(row[..., row.shape[-1] - decides.size :])
    with np.errstate(invalid="ignore"):
        found: np.ndarray = patches[..., decides.ravel()].sum(-1) / patches.sum(-1)
        return found


def measure(source: Source, scenes: Iterable[tuple[TracedTranslation, str, np.ndarray]]) -> Table:
    """Where the class token looks, over scenes: what the model said, the answer, and which patches decide, bool [R, C].

    Returns:
        how many scenes, how many percent were answered right, ``chance`` (the share of the patches that decide), and
        for each sort of map the mean share of every head ("heads", [L, H]), of all ("mean"), and of the best one.
    """
    right: list[bool] = []
    chance: list[float] = []
    found: dict[MethodName, list[np.ndarray]] = {method: [] for method in SCENE_MAPS}
    for seen, answer, decides in scenes:
        right.append(seen.text == answer)
        chance.append(float(decides.mean()))
        for method in SCENE_MAPS:
            found[method].append(share_on(attribution_maps(source, seen, method, 0)["encoder_self"][:, :, 0], decides))
    told = {}
    for method, shares in found.items():
        heads = np.nanmean(np.array(shares, dtype=np.float64), 0)
        layer, head = map(int, np.unravel_index(heads.argmax(), heads.shape))
        best = {"layer": layer, "head": head, "share": round(float(heads.max()), 4)}
        told[method] = {"mean": round(float(heads.mean()), 4), "best": best, "heads": heads.round(4).tolist()}
    count = {"scenes": len(right), "right_percent": round(100 * float(np.mean(right)), 1)}
    return {**count, "chance": round(float(np.mean(chance)), 4), "maps": told}


def load_scenes(checkpoint: str, sha256: str) -> Table | None:
    """The table of a checkpoint; None where there is none, or other weights made it."""
    return load_table(
        checkpoint, SCENE_TABLE, sha256, lambda table: bool(table["chance"] and table["maps"]["weights"])
    )[0]
