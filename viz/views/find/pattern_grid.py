"""A small grid to paint a pattern on; it also shows the named ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from model.analysis.heads.patterns import GRID
from viz.core.codes.pattern import parse_pattern, pattern_code
from viz.core.language import Labels
from viz.core.theme import Theme
from viz.widgets.messages import message, part, serial
from viz.widgets.registry import register

LABELS = ("grid", "rows", "columns", "clear", "hint", "cell")
_component = register("pattern_grid", LABELS)


def pattern_grid(
    pattern: np.ndarray, *, theme: Theme, labels: Labels, key: str, on_paint: Callable[[str], None]
) -> None:
    """The grid; painting starts from the pattern that it shows.

    Args:
        pattern: 0 to 1, [GRID, GRID].
        theme: the look.
        labels: gives the strings named in LABELS, in the visitor's language.
        key: names this place on the page.
        on_paint: called with the new pattern's code before the script runs again.

    Raises:
        ValueError: the pattern has another shape.
    """
    if pattern.shape != (GRID, GRID):
        raise ValueError(f"a pattern has shape {(GRID, GRID)}, got {pattern.shape}")

    def painted() -> None:
        code = part(message(key, "paint"), "code")
        if isinstance(code, str):
            on_paint(pattern_code(parse_pattern(code)))

    values = [round(float(value), 3) for value in pattern.ravel()]
    data = {"values": values, "serial": serial(key, "paint")}
    _component.mount(data, theme=theme, labels=labels, key=key, on_paint_change=painted)
