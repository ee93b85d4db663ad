"""A plain picture: two axes, and bars, curves or cells between them, as the browser's canvas draws it.

What a slider moves, or a lesson shows many of, is drawn so: Plotly takes a twentieth of a second a chart, and twice.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

import numpy as np

from viz.charts.layout import cut, label_width
from viz.charts.markup import Words
from viz.core.numbers import number
from viz.core.theme import HEAD_COLOURS

LABEL = 14  # pixels of every label
_TITLE = 26  # pixels that an axis's title takes
_STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True)
class PlainAxis:
    """One axis."""

    limits: tuple[float, float]  # the values at its left and right, or lower and upper end
    ticks: Sequence[tuple[float, str]]  # values, and what is written there; shown literally
    title: str = ""  # its name; "" for none
    named: bool = False  # what is written are names, else numbers, with lines across the picture
    angle: int = 0  # degrees by which what is written is turned: 0, -45 or -90
    above: bool = False  # it stands over the picture


@dataclass(frozen=True)
class Series:
    """Bars, or a curve: one value a place."""

    name: str  # shown literally
    colour: str  # of all of it
    values: np.ndarray  # [N]
    texts: Sequence[str] = ()  # what stands over the bars; () for nothing
    dash: tuple[int, ...] = ()  # pixels drawn and left out in turn; () for a whole line
    dots: bool = False  # a dot stands at every place


@dataclass(frozen=True)
class PlainCells:
    """A table of numbers as colours."""

    values: np.ndarray  # [R, C]; NaN stays blank
    limits: tuple[float, float]  # values at the ends of the scale, which goes both ways where the first is negative
    texts: Sequence[Sequence[str]] = ()  # R rows of C to be written into the cells; () for none
    size: float = LABEL  # of the font of those, in pixels


@dataclass(frozen=True)
class PlainChart:
    """A plain picture."""

    # x, y: its axes
    x: PlainAxis
    y: PlainAxis
    height: int  # pixels of all of it
    margin: tuple[int, int, int, int]  # pixels left, right, above and below what is between the axes
    width: int = 0  # pixels of all of it; 0 for those that the page has
    places: np.ndarray | None = None  # of each series' values on ``x``, [N]
    names: Sequence[str] = ()  # of these places, or () where they are numbers; of cells, the names of columns
    rows: Sequence[str] = ()  # names of the cells' rows
    # bars, curves: series
    bars: Sequence[Series] = ()
    curves: Sequence[Series] = ()
    cells: PlainCells | None = None  # instead of both
    mark: float | None = None  # a value of ``x`` where a dotted line stands; None for none

    def sent(self) -> dict[str, Any]:
        """What the browser is sent: plain values, arrays as float32 in base64."""
        return {name: _plain(value) for name, value in vars(self).items()}


def _plain(value: Any) -> object:
    if isinstance(value, np.ndarray):
        return base64.b64encode(np.ascontiguousarray(value, "<f4").tobytes()).decode("ascii")
    if isinstance(value, PlainAxis | Series | PlainCells):
        return {name: _plain(each) for name, each in vars(value).items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def round_ticks(low: float, high: float, most: int = 6, whole: bool = False) -> list[tuple[float, str]]:
    """Round numbers from ``low`` to ``high``, at most so many, and how they are written; ``whole`` ones alone.

    >>> round_ticks(0, 1.1)
    [(0.0, '0.00'), (0.25, '0.25'), (0.5, '0.50'), (0.75, '0.75'), (1.0, '1.00')]
    """
    rough = max((high - low) / max(1, most - 1), 1.0 if whole else 0.0)
    power = 10.0 ** floor(log10(rough))
    steps = (each * power for each in _STEPS if each * power >= rough * (1 - 1e-9))
    step = next(each for each in steps if each == round(each) or not whole)
    digits = next(count for count in range(9) if abs(round(step, count) - step) < 1e-9 * max(1.0, step))
    places = [round(step * each, 12) for each in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]
    return [(place, _grouped(place, digits)) for place in places]


def _grouped(value: float, digits: int) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else number(value, digits)


def plain_numbers(low: float, high: float, title: str, most: int = 6, whole: bool = False) -> PlainAxis:
    """An axis of numbers; as ``round_ticks``."""
    return PlainAxis((low, high), round_ticks(low, high, most, whole), title)


def plain_names(
    names: Sequence[str], angle: int, title: str = "", *, above: bool = False, down: bool = False
) -> PlainAxis:
    """An axis of names at whole numbers; where there is no room for one, its name is ""."""
    ends = (-0.5, len(names) - 0.5)
    ticks = [(float(place), cut(name)) for place, name in enumerate(names) if name]
    return PlainAxis(ends[::-1] if down else ends, ticks, title, named=True, angle=angle, above=above)


def left_of(axis: PlainAxis) -> int:
    """Pixels that a vertical axis needs for what is written at it."""
    return round(label_width([name for _, name in axis.ticks], LABEL) + (_TITLE if axis.title else 0)) + 14


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
