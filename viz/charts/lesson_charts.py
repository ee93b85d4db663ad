"""Plain pictures that several lessons share: bars, and cells with their numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import cycle, pairwise

import numpy as np

from viz.charts.layout import cut, label_width, labels_apart, labels_fit
from viz.charts.plain_shapes import LABEL, PlainCells, PlainChart, Series, left_of, plain_names, plain_numbers
from viz.core.numbers import number
from viz.core.theme import HEAD_COLOURS

_SPECIAL = re.compile(r"^<(\w+)>$")


def bars(
    names: Sequence[str],
    series: Mapping[str, np.ndarray],
    axis: str,
    *,
    width: int = 400,
    height: int = 260,
    limits: tuple[float, float] | None = None,
) -> PlainChart:
    """Bars over names, one colour a series, with their numbers where there is room.

    Args:
        names: N labels, shown literally.
        series: [N] each, by what it is called.
        width, height: pixels that the bars will have, without the axis and their names.
        limits: of the vertical axis; else what the bars need.

    Raises:
        ValueError: a series does not fit the names.
    """
    _check(names, series)
    numbered = width >= 38 * len(series) * len(names)
    written, angle, needed = _column_names(names, width / len(names))
    y = plain_numbers(
        *(limits or _limits(np.concatenate(list(series.values())), numbered)), axis, 6 if height > 200 else 5
    )
    return PlainChart(
        x=plain_names(written, angle),
        y=y,
        height=round(height + needed),
        margin=(left_of(y), 16, 20, round(needed) + 14),
        places=np.arange(len(names)),
        names=[cut(name) for name in names],
        bars=[
            Series(name, colour, values, [number(each) for each in values] if numbered else ())
            for (name, values), colour in zip(series.items(), cycle(HEAD_COLOURS), strict=False)
        ],
    )


def _check(names: Sequence[str], series: Mapping[str, np.ndarray]) -> None:
    for name, values in series.items():
        if values.shape != (len(names),) or not names:
            raise ValueError(f"“{name}” has shape {values.shape}, but there are {len(names)} names")


def _limits(values: np.ndarray, numbered: bool) -> tuple[float, float]:
    """From the least to the largest value and 0, with room for numbers over the bars and under them."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    room = (0.12 if numbered else 0.05) * (high - low) or 1.0
    return low - room if low < 0 else 0.0, high + room if high > 0 else 0.0


def cells(
    values: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    texts: Sequence[Sequence[str]] = (),
    axis: str = "",
    limits: tuple[float, float] | None = None,
    most_height: int = 360,
    width: int = 900,
) -> PlainChart:
    """A table of numbers as coloured cells; NaN and what is missing stay blank.

    Args:
        values: [R, C].
        rows, columns: labels, R and C of them, shown literally; "" leaves one out.
        texts: what to write into the cells, where it fits; R rows of C.
        limits: values of the scale's ends, which goes both ways where the first is negative; else 0 and the largest.
        most_height, width: pixels that the rows take at most, and that there are.

    Raises:
        ValueError: the labels do not fit.
    """
    _check_cells(values, rows, columns)
    tall = min(34.0, most_height / len(rows))
    down = plain_names(_apart(rows, tall)[0], 0, axis, down=True)
    wide = min(72.0, (width - left_of(down) - 16) / len(columns))
    written, angle, needed = _column_names(columns, wide)
    top, right = round(needed) + 14, 16 if angle != -45 else max(16, round(0.72 * label_width(columns[-1:], LABEL)))
    return PlainChart(
        x=plain_names(written, angle, above=True),
        y=down,
        width=round(left_of(down) + wide * len(columns) + right),
        height=round(tall * len(rows)) + top + 12,
        margin=(left_of(down), right, top, 12),
        names=[cut(column) for column in columns],
        rows=[cut(row) for row in rows],
        cells=_filled(values, limits or (0.0, max(float(np.nanmax(values, initial=0.0)), 1e-9)), texts, (wide, tall)),
    )


def _check_cells(values: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> None:
    if values.shape != (len(rows), len(columns)) or not values.size:
        raise ValueError(f"values have shape {values.shape}, but {len(rows)} rows and {len(columns)} columns are named")


def _filled(
    values: np.ndarray, limits: tuple[float, float], texts: Sequence[Sequence[str]], cell: tuple[float, float]
) -> PlainCells:
    """Cells so wide and high with their texts, as large as the longest fits; none where that is too small to read."""
    wide, high = cell
    size = min(15.0, 0.9 * high, (wide - 6) / max(1.0, label_width([text for row in texts for text in row], 1)))
    return PlainCells(values, limits, texts if size >= 11 else (), size)


def _apart(names: Sequence[str], pitch: float) -> tuple[Sequence[str], float]:
    """Names that are far enough apart to be written, as ``labels_apart``; where some are left out, that is done."""
    written = [place for place, name in enumerate(names) if name]
    if len(written) in (0, len(names)):
        return labels_apart(names, pitch)
    return names, pitch * min((later - place for place, later in pairwise(written)), default=1)


def _column_names(names: Sequence[str], pitch: float) -> tuple[Sequence[str], int, float]:
    """Names of columns, with the angle and the height at which they are written: level, slanted, or upright.

    Chinese characters stand level: where only "<eos>" is too wide for that, it loses its brackets.
    """
    names, pitch = _apart(names, pitch)
    plain = [_SPECIAL.sub(r"\1", name) for name in names]
    closer = 4 if all(len(name) <= 3 for name in plain) else 0  # characters may touch, words may not
    for tried, room in ((names, pitch), (plain, pitch + closer)):
        if labels_fit([name for name in tried if name], LABEL, room):
            return tried, 0, LABEL
    needed = label_width(names, LABEL)
    return (names, -45, 0.72 * (needed + LABEL)) if pitch >= 26 else (names, -90, needed)
