"""Where a model of pictures looks on scenes whose answer is known to depend on certain patches."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from model.attribution.methods import MethodName, attribution_maps
from model.source import Source
from model.tables import Table, load_table
from model.trace import TracedTranslation

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
        return patches[..., decides.ravel()].sum(-1) / patches.sum(-1)


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
