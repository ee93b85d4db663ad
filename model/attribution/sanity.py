"""Is a map what it claims to be? Row sums, and weight on masked keys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from model.trace import AttentionTrace, Kind, may_attend

TOLERANCE = 1e-5


@dataclass(frozen=True)
class Sanity:
    """Largest distance of a row sum from 1, and the largest weight on a key that the mask hides."""

    row_sum_error: float
    masked_weight: float

    @property
    def holds(self) -> bool:
        """True if rows sum to 1 within 1e-5 and masked keys get exactly nothing."""
        return self.row_sum_error <= TOLERANCE and self.masked_weight == 0.0


def check_map(trace: AttentionTrace, kind: Kind, layer: int, head: int) -> Sanity:
    """Sanity of one captured map, before any merging or hiding."""
    weights = trace.map(kind, layer, head)
    hidden = ~may_attend(kind, weights.shape)
    masked = float(weights[hidden].max()) if hidden.any() else 0.0
    return Sanity(float(np.abs(weights.sum(axis=-1) - 1).max()), masked)
