"""Every head as a small map without labels: a grid a kind, layers down and heads across."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from viz.charts.colour import on_scale
from viz.charts.sheet.sheet import POINTS_A_CM, Box, Sheet, SheetStyle, Write, hexadecimal
from viz.core.theme import LIGHT

PIXELS = 8  # a side


def small_maps(kinds: Sequence[tuple[str, np.ndarray]], signed: bool, said: str, style: SheetStyle) -> Sheet:
    """The grids side by side with what they are called, under them what is drawn.

    Args:
        kinds: title and maps [L, H, Q, K] of each kind.
        signed: values have either sign.
        said: the last line.
        style: width and type.
    """
    total, size = style.width_cm * POINTS_A_CM, style.type_pt
    gap = 2.5 * size
    across = sum(maps.shape[1] for _, maps in kinds)
    side = (total - gap * len(kinds)) / across
    marks: list[Box | Write] = []
    x, deepest = gap, max(maps.shape[0] for _, maps in kinds)
    for title, maps in kinds:
        high = float(np.abs(maps).max()) or 1.0
        marks.append(Write(x, 1.2 * size, title, size))
        for (layer, head), _ in np.ndenumerate(maps[:, :, 0, 0]):
            at = x + head * side, 2 * size + layer * side
            marks += _cells(pooled(maps[layer, head]) / high, signed, *at, 0.92 * side)
        marks += [
            Write(x - 0.4 * size, 2 * size + (layer + 0.6) * side, f"L{layer}", 0.7 * size, "end")
            for layer in range(len(maps))
        ]
        x += maps.shape[1] * side + gap
    bottom = 2 * size + deepest * side + 1.6 * size
    marks.append(Write(gap, bottom, said, size))
    return Sheet(total, bottom + size, tuple(marks), said)


def pooled(values: np.ndarray) -> np.ndarray:
    """The strongest value by its size in each of 8 × 8 parts of a map.

    >>> float(pooled(np.eye(16))[0, 0]), pooled(np.zeros((3, 5))).shape
    (1.0, (8, 8))
    """
    rows, columns = (_parts(count) for count in values.shape)
    found = np.zeros((PIXELS, PIXELS))
    for row, (top, bottom) in enumerate(rows):
        for column, (left, right) in enumerate(columns):
            part = values[top:bottom, left:right]
            found[row, column] = part.flat[np.abs(part).argmax()]
    return found


def _parts(count: int) -> list[tuple[int, int]]:
    """First index of each part, and the one after its last."""
    starts = [place * count // PIXELS for place in range(PIXELS)]
    return [(start, max(start + 1, -(-(place + 1) * count // PIXELS))) for place, start in enumerate(starts)]


def _cells(shares: np.ndarray, signed: bool, x: float, y: float, side: float) -> list[Box]:
    scale = LIGHT.diverging if signed else LIGHT.scale
    fills = hexadecimal(on_scale(0.5 + 0.5 * shares if signed else shares, scale))
    step = side / PIXELS
    return [
        Box(x + column * step, y + row * step, step, step, str(fill)) for (row, column), fill in np.ndenumerate(fills)
    ]
