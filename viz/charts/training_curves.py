"""How a checkpoint was trained: loss, learning rate and dev BLEU over steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from viz.charts.curves import curves
from viz.charts.plain_shapes import PlainChart
from viz.charts.words import Words

_PANELS = (("loss", "loss"), ("lr", "rate"), ("dev_bleu", "bleu"))


@dataclass(frozen=True)
class TrainingText(Words):
    """The words of the curves, in the visitor's language."""

    PREFIX = "training"

    step: str
    loss: str
    rate: str
    bleu: str


def training_curves(entries: Sequence[Mapping[str, Any]], text: TrainingText, height: int = 260) -> list[PlainChart]:
    """Loss, learning rate and dev BLEU over the steps, from 0 up; those of them that the log has.

    Args:
        entries: a training log; each has ``step``, and some of ``loss``, ``lr`` and ``dev_bleu``.
        text: the words of the axes.
        height: pixels of each.

    Raises:
        ValueError: an entry has no ``step``.
    """
    if missing := next((entry for entry in entries if "step" not in entry), None):
        raise ValueError(f"a log entry has no step: {missing}")
    made = []
    for key, field in _PANELS:
        points = [(entry["step"], entry[key]) for entry in entries if key in entry]
        if points:
            steps, values = np.array(points, dtype=float).T
            name = getattr(text, field)
            made.append(curves(steps, {name: values}, (text.step, name), height=height, least=0.0))
    return made
