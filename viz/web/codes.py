"""Numbers that travel to the browser and back, a byte or two each, in base64 where text is needed.

``src/core/codes.js`` is the other end.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence

import numpy as np

TOLERANCE = 1e-3
FULL = 32767


def coded(parts: np.ndarray, signed: bool) -> np.ndarray:
    """Parts of a whole in a byte each: round(255·√p), or 128 + round(127·p) where they have either sign.

    The first is fine where parts are small, and within 1/255 everywhere.

    Raises:
        ValueError: one is no number, or outside 0 to 1 (-1 to 1).
    """
    whole = _within(parts, -1.0 if signed else 0.0)
    return (128 + np.rint(127 * whole) if signed else np.rint(255 * np.sqrt(whole))).astype(np.uint8)


def pack_coarse(weights: np.ndarray) -> str:
    """Weights from 0 to 1 in one byte each, as ``coded`` makes them.

    Raises:
        ValueError: as ``coded``.
    """
    return _base64(coded(weights, signed=False))


def unpack_coarse(packed: str) -> np.ndarray:
    """The weights that ``pack_coarse`` packed, flat, float64."""
    return (np.frombuffer(base64.b64decode(packed), np.uint8) / 255) ** 2


def pack_fine(values: np.ndarray) -> str:
    """Values from -1 to 1 in two bytes each, round(32767·v), little-endian.

    Raises:
        ValueError: a value is outside -1 to 1, or not a number.
    """
    return _base64(np.rint(FULL * _within(values, -1.0)).astype("<i2"))


def unpack_fine(packed: str) -> np.ndarray:
    """The values that ``pack_fine`` packed, flat, float64."""
    return np.frombuffer(base64.b64decode(packed), "<i2") / FULL


def check_shape(name: str, weights: np.ndarray, rows: Sequence[object], columns: Sequence[object]) -> None:
    """Nothing, where weights [..., query, key] fit their labels.

    Raises:
        ValueError: they do not; it names both shapes.
    """
    expected = (len(rows), len(columns))
    if weights.shape[-2:] != expected:
        raise ValueError(f"{name} has shape {weights.shape}, but the labels are for {expected}")


def _within(values: np.ndarray, low: float) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    if values.size and not (values.min() >= low - TOLERANCE and values.max() <= 1 + TOLERANCE):
        raise ValueError(f"values must be from {low:g} to 1, got {values.min():.4g} to {values.max():.4g}")
    return values.clip(low, 1.0)


def _base64(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode("ascii")
