"""Curves over one axis, for the lessons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from viz.charts.markup import Words
from viz.charts.plain_shapes import PlainChart, Series, left_of, plain_numbers
from viz.core.theme import HEAD_COLOURS

_DASHES = ((), (9, 5), (3, 4), (9, 4, 3, 4))
_FEW = 30  # places that are told apart by dots


def curves(
    x: np.ndarray,
    series: Mapping[str, np.ndarray],
    axes: tuple[str, str],
    *,
    height: int = 260,
    mark: float | None = None,
    least: float | None = None,
) -> PlainChart:
    """Curves over one axis, each with its colour and its dash.

    Args:
        x: [N].
        series: [N] each, by what it is called.
        axes: titles of the horizontal and the vertical axis.
        height: pixels.
        mark: where a dotted line stands.
        least: a value that the vertical axis begins at.

    Raises:
        ValueError: a curve does not fit the axis.
    """
    if wrong := [name for name, values in series.items() if values.shape != x.shape or not x.size]:
        raise ValueError(f"“{wrong[0]}” does not fit an axis of shape {x.shape}")
    few = len(x) <= _FEW
    low, high = _roomy(np.concatenate(list(series.values())), 0.06)
    y = plain_numbers(low if least is None else least, high, axes[1], 7 if height > 240 else 5)
    method = [
        Series(name, HEAD_COLOURS[place % 8], values, dash=_DASHES[place % 4], dots=few)
        for place, (name, values) in enumerate(series.items())
    ]
    return PlainChart(
        x=plain_numbers(*_roomy(x, 0.03 * few), axes[0], whole=bool((x == np.rint(x)).all())),
        y=y,
        height=height,
        margin=(left_of(y), 16, 14, 48),
        places=x,
        curves=method,
        mark=mark,
    )


def _roomy(values: np.ndarray, share: float) -> tuple[float, float]:
    """From the least to the largest value, with a share of that on either side; around a single value, 1."""
    low, high = float(values.min()), float(values.max())
    room = share * (high - low) if high > low else 1.0
    return low - room, high + room


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
