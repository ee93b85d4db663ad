"""An honest error rate: the setting is chosen on one half of the pairs and scored on the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from model.analysis.alignment.error_table import rates

if TYPE_CHECKING:
    from model.analysis.alignment.error_table import ErrorTable

RESAMPLES = 2_000


def held_out(table: ErrorTable, single: bool = False, seed: int = 1) -> dict[str, Any] | None:
    """Error rate of the setting that the other half of the pairs would have chosen; None for fewer than 4 pairs.

    The best of several hundred settings on some pairs does worse on others. So the pairs are halved
    (every other one), each half chooses a setting, and the other half scores it.

    Args:
        table: counts of every setting for each pair.
        single: choose among single heads, see ``ErrorTable.lowest``.
        seed: of the bootstrap.

    Returns:
        ``aer``: percent over all pairs, each scored with the setting that the half without it chose;
        ``interval``: its 95 % interval, by drawing pairs with replacement, the settings held fixed
        (Koehn 2004); ``halves``: for each half the setting it ``chose``, the ``aer_there``, and ``aer``
        and ``interval`` on the other half.
    """
    if table.pairs < 4:
        return None
    found, hits = (np.stack([counts[part] for counts in table.by_pair]) for part in (0, 1))
    sure = np.array([counts[2] for counts in table.by_pair])
    rng = np.random.default_rng(seed)
    halves, scored = [], []
    for half in (0, 1):
        here, there = (np.arange(table.pairs) % 2 == side for side in (half, 1 - half))
        every = rates(found[here].sum(0), hits[here].sum(0), int(sure[here].sum()))
        at = table.lowest(every, single)
        counts = np.stack((found[there][:, *at] + sure[there], hits[there][:, *at]), 1)
        scored.append(counts)
        facts = {"chose": table.named(at), "aer_there": _percent(float(every[at])), **_scored(counts, rng)}
        halves.append({"pairs": int(here.sum()), **facts})
    return {**_scored(np.concatenate(scored), rng), "halves": halves}


def _scored(counts: np.ndarray, rng: np.random.Generator) -> dict[str, Any]:
    """AER in percent and its interval from [pairs, 2] counts: links that could be right or wrong, and hits."""
    method = rng.integers(len(counts), size=(RESAMPLES, len(counts)))
    again = counts[method].sum(1)
    low, high = np.quantile(1 - again[:, 1] / np.maximum(again[:, 0], 1), (0.025, 0.975))
    total, hits = counts.sum(0)
    return {"aer": _percent(1 - hits / max(total, 1)), "interval": [_percent(low), _percent(high)]}


def _percent(rate: float) -> float:
    return round(100 * float(rate), 2)
