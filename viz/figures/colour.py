"""Colours of a scale, and which ink can be read on them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

DARK_INK, LIGHT_INK = "#0B1016", "#FFFFFF"


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
    """True where white reads better than near-black on these colours: bool [...]."""
    return contrast(colours, rgb(LIGHT_INK)) > contrast(colours, rgb(DARK_INK))


def _luminance(colours: np.ndarray) -> np.ndarray:
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])
