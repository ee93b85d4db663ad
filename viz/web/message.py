"""What travels to the browser: packed numbers, and one typed, versioned message to the viewer (``src/types.js``)."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Literal, TypedDict

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


VERSION = 2
Axis = Literal["src", "inputs", "outputs"]


class Tokens(TypedDict):
    """A sequence of tokens, an entry each: text, number of its word (-1: special), characters [start, end)."""

    texts: list[str]
    words: list[int]
    starts: list[int]
    ends: list[int]


class KindPart(TypedDict):
    """A kind of attention: its sizes, which tokens ask and are asked, and what a row writes besides its label."""

    kind: str
    letter: str
    title: str
    layers: int
    heads: int
    rows: Axis
    columns: Axis
    writes: Axis | None
    shifts: bool


class MapsPart(TypedDict):
    """One sort's maps of one kind: where their bytes begin, and the value that the largest byte stands for.

    A byte b of an unsigned sort is ``high·(b / 255)²``, of a signed one ``high·(b - 128) / 127``. The order is
    layer, head, query, key; ``heads`` is 1 where all heads of a layer share one map, ``layers`` where all layers do.
    """

    offset: int
    layers: int
    heads: int
    high: float


class SortPart(TypedDict):
    """A sort of map, and how it is read: see ``AttributionMethod``. ``whose`` names what shares a map, if not a head.

    ``token``: there are such maps of each output token; ``gradient@3`` is of the third, ``gradient`` of all together.
    """

    name: str
    title: str
    whose: str
    meaning: str
    signed: bool
    averaged: bool
    shares: bool
    written: bool
    token: bool
    maps: dict[str, MapsPart]


class MorePart(TypedDict):
    """A sort whose maps are not in the message: the model makes them when they are asked for."""

    name: str
    title: str


class Look(TypedDict):
    """Colours of one theme, as CSS writes them; scales as pairs of place and colour."""

    background: str
    surface: str
    text: str
    muted: str
    grid: str
    accent: str
    scale: list[list[float | str]]
    diverging: list[list[float | str]]


class Header(TypedDict):
    """All of it but the bytes of the maps, which come after it. ``given``: tokens of a prompt; 0 without one."""

    version: int
    language: str
    source: str
    translation: str
    given: int
    model: str
    tokens: dict[Axis, Tokens]
    kinds: list[KindPart]
    sorts: list[SortPart]
    more: list[MorePart]
    looks: dict[str, Look]
    fonts: str
    start: str
    words: dict[str, str]


class Envelope(TypedDict):
    """What the app says before the message.

    ``id`` tells messages apart. ``link`` is what is chosen, to be followed where ``serial`` is another than before.
    ``below``: pixels to be left free under the viewer.
    """

    id: str
    link: str
    serial: int
    dark: bool
    below: int
