"""What training aims at: smoothed labels, the loss as confidence grows, and the rate over steps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from model.training.schedule import noam

CLASSES, SMOOTHING, PADDING = 5, 0.4, 0
ROW_TARGETS = (2, 1, 0, 3, 3)  # those of the Annotated Transformer's picture; the third row is padding
NOAM = ((512, 4000), (512, 8000), (256, 4000))  # d_model and warm-up of its three curves


def smoothed(targets: Sequence[int], smoothing: float, classes: int = CLASSES) -> np.ndarray:
    """What the loss compares with, one row a target: float64 [N, classes] (Szegedy et al. 2016).

    The true class gets 1 − ε, the others share ε; class PADDING is never wanted and gets nothing, and
    a row whose target is padding is left out: all 0.

    >>> smoothed((2, 0), 0.4).round(3).tolist()
    [[0.0, 0.133, 0.6, 0.133, 0.133], [0.0, 0.0, 0.0, 0.0, 0.0]]
    """
    table = np.full((len(targets), classes), smoothing / (classes - 2))
    table[np.arange(len(targets)), list(targets)] = 1 - smoothing
    table[:, PADDING] = 0
    table[np.array(targets) == PADDING] = 0
    return table


def confidence_loss(confidence: np.ndarray, smoothing: float) -> tuple[np.ndarray, np.ndarray]:
    """Loss above its least possible, in nats, and its slope in the true class's logit, as confidence grows.

    Confidence p [N] is the true class's probability; the rest is shared evenly. The loss is the
    Kullback-Leibler divergence from the smoothed label, which is 0 at p = 1 − ε; its gradient in the
    logit is p − (1 − ε).
    """
    true = 1 - smoothing
    loss = true * np.log(true / confidence)
    if smoothing:
        loss = loss + smoothing * np.log(smoothing / (1 - confidence))  # each of the others has the same share of both
    return loss, confidence - true


def ramps(rates: Sequence[float]) -> int:
    """How often a training's learning rate rose from its beginning or from a fall.

    >>> ramps([0.1, 0.5, 0.5, 0.2, 0.4, 0.3])
    2
    """
    moves = [after > before for before, after in pairwise(rates) if after != before]
    return sum(rises and not (place and moves[place - 1]) for place, rises in enumerate(moves))


def rates(steps: np.ndarray, d_model: int, warmup: int) -> np.ndarray:
    """The Noam schedule's learning rate at each step ≥ 1: [N] (Vaswani et al. 2017, equation 3)."""
    return np.array([noam(int(step), d_model, warmup) for step in steps])
