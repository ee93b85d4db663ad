"""Cached answers about how a checkpoint came to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model.errors import CheckpointError
from model.folders import resolve
from model.history import History, load_history, snapshots
from viz.core.kept import kept
from viz.core.models import entry_of, own_translator

if TYPE_CHECKING:
    import numpy as np

    from model.analysis.heads.over_time import Jobs
    from model.trace import Kind


@kept(4)
def history(checkpoint: str, weights: str) -> tuple[History | None, str]:
    """What a checkpoint could do at some points of its training; or None and why: "missing", "damaged" or "stale"."""
    return load_history(checkpoint, weights) if entry_of(checkpoint).kind == "own" else (None, "missing")


@kept(12)
def jobs(checkpoint: str, weights: str, kind: Kind) -> Jobs:
    """What the heads of a kind do in the end, and how often they did it at each point."""
    from model.analysis.heads.over_time import jobs as found

    return found(_known(checkpoint, weights), kind)


@kept(12)
def importance(checkpoint: str, weights: str, kind: Kind) -> np.ndarray | None:
    """What muting each head of a kind costs at each point; None where the weights of those points are not kept."""
    from model.analysis.heads.over_time import importance_over_time

    past, model = _known(checkpoint, weights), own_translator(checkpoint)
    try:
        kept_weights = snapshots(resolve(checkpoint))
    except CheckpointError:
        return None
    if any(step not in kept_weights for step in past.step[:-1].tolist()):
        return None
    earlier = (model.at_snapshot(kept_weights[step]) for step in past.step[:-1].tolist())
    return importance_over_time((*earlier, model), past.examples, kind)


def past_of(checkpoint: str) -> tuple[History | None, str]:
    """The history of the weights that a checkpoint has now."""
    return history(checkpoint, entry_of(checkpoint).sha256)


def half_trained(checkpoint: str) -> int | None:
    """The last point of its training at which a checkpoint had less than half of its BLEU; None where nobody knows."""
    found, _ = past_of(checkpoint)
    if found is None or not (below := found.step[found.dev_bleu < found.dev_bleu[-1] / 2]).size:
        return None
    return int(below[-1])


def _known(checkpoint: str, weights: str) -> History:
    found, why = history(checkpoint, weights)
    if found is None:
        raise ValueError(f"{checkpoint} has no history: {why}")
    return found
