"""Colours of a scale, and texts on them in an ink that can be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

DARK_INK, LIGHT_INK = "#000000", "#FFFFFF"  # one of both has a contrast of 4.58 or more on any colour


def rgb(colour: str) -> np.ndarray:
    """A "#rrggbb" colour as numbers from 0 to 1: float64 [3]."""
    return np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)]) / 255


def on_scale(values: np.ndarray, stops: Sequence[tuple[float, str]]) -> np.ndarray:
    """Colours of values from 0 to 1 on a scale, interpolated as Plotly does: float64 [..., 3]."""
    places = [place for place, _ in stops]
    colours = np.stack([rgb(colour) for _, colour in stops])
    return np.stack([np.interp(values, places, colours[:, channel]) for channel in range(3)], axis=-1)


def contrast(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Contrast ratio of colours [..., 3], 1 to 21 (WCAG 2.2)."""
    one, two = _luminance(first), _luminance(second)
    return (np.maximum(one, two) + 0.05) / (np.minimum(one, two) + 0.05)


def prefers_light_ink(colours: np.ndarray) -> np.ndarray:
    """True where white reads better than black on these colours: bool [...]."""
    return contrast(colours, rgb(LIGHT_INK)) > contrast(colours, rgb(DARK_INK))


def printed(
    texts: Sequence[Sequence[str]], colours: np.ndarray, size: float, faint: np.ndarray | None = None
) -> list[dict[str, Any]]:
    """Texts in the cells of a heatmap: one Plotly trace an ink, so that each can be read on its colour.

    Args:
        texts: R rows of C texts, markup escaped; an empty one is left out.
        colours: of the cells, [R, C, 3], or one colour [3] for all.
        size: of the font, in pixels.
        faint: bool [R, C], which texts to write faintly.
    """
    some = np.array([[bool(text) for text in row] for row in texts])
    light = np.broadcast_to(prefers_light_ink(colours), some.shape)
    quiet = np.zeros_like(some) if faint is None else faint
    inks = ((LIGHT_INK, light & ~quiet), (DARK_INK, ~light & ~quiet), (f"{LIGHT_INK}99", light & quiet))
    return [
        {
            "type": "scatter",
            "mode": "text",
            "x": np.nonzero(where & some)[1],
            "y": np.nonzero(where & some)[0],
            "text": [texts[row][column] for row, column in zip(*np.nonzero(where & some), strict=True)],
            "textfont": {"size": size, "color": ink},
            "hoverinfo": "skip",
            "showlegend": False,
        }
        for ink, where in (*inks, (f"{DARK_INK}80", ~light & quiet))
        if (where & some).any()
    ]


def _luminance(colours: np.ndarray) -> np.ndarray:
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])
