"""A small grid to paint a pattern on; it also shows the named ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import streamlit as st

from model.analysis.patterns import GRID
from viz.components.payload import look
from viz.components.registry import register
from viz.pattern_code import parse_pattern, pattern_code
from viz.theme import Theme

LABELS = ("grid", "rows", "columns", "clear", "hint", "cell")
_mount = register("pattern_grid")


def pattern_grid(
    pattern: np.ndarray, *, theme: Theme, labels: Mapping[str, str], key: str, on_paint: Callable[[str], None]
) -> None:
    """The grid; painting starts from the pattern that it shows.

    Args:
        pattern: 0 to 1, [GRID, GRID].
        theme: the look.
        labels: the strings named in LABELS, in the visitor's language.
        key: names this place on the page.
        on_paint: called with the new pattern's code before the script runs again.

    Raises:
        ValueError: the pattern has another shape.
    """
    if pattern.shape != (GRID, GRID):
        raise ValueError(f"a pattern has shape {(GRID, GRID)}, got {pattern.shape}")

    def painted() -> None:
        code = _part(st.session_state[key].get("paint"), "code")
        if isinstance(code, str):
            on_paint(pattern_code(parse_pattern(code)))

    serial = _part(st.session_state.get(key, {}).get("paint"), "serial")
    data = {
        "values": [round(float(value), 3) for value in pattern.ravel()],
        "serial": serial if type(serial) is int else 0,
        "look": look(theme),
        "labels": {name: labels[name] for name in LABELS},
    }
    _mount(key=key, data=data, on_paint_change=painted)


def _part(value: object, name: str) -> object:
    """An entry of a browser's message; None where the message is no such thing."""
    return value.get(name) if isinstance(value, dict) else None
