"""What travels to the browser and back.

Numbers, a byte or two each, in base64 where text is needed (src/core/codes.js); and what is chosen in the viewer, as
its link says it: ``h=c2.5,c3.1&v=lines`` (src/core/state.js).
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence

import numpy as np

# In the order in which the viewer writes them: heads, view, drawn, words, special, row rule, threshold, logarithm,
# scale, together, rows and columns that are pinned. Its theme is the app's.
PARAMETERS = "hvdwsrtgoxpq"
_PAIR = re.compile(r"([a-z])=([\w.,@-]{0,2000})")
_WRITTEN = re.compile(r"t(\d{1,4})")


def read_link(said: object) -> dict[str, str]:
    """Choices by letter; what is none of the viewer's is left out.

    >>> read_link("h=c2.5&v=lines&z=1&w=<b>")
    {'h': 'c2.5', 'v': 'lines'}
    """
    pairs = [match.groups() for part in str(said).split("&") if (match := _PAIR.fullmatch(part))]
    return {letter: value for letter, value in pairs if letter in PARAMETERS}


def write_link(choices: Mapping[str, str]) -> str:
    """A link that ``read_link`` reads as these choices; those that are "" do not stand in it.

    >>> write_link({"v": "lines", "h": "c2.5", "w": ""})
    'h=c2.5&v=lines'
    """
    return "&".join(f"{letter}={choices[letter]}" for letter in PARAMETERS if choices.get(letter))


def listed(choices: Mapping[str, str], letter: str) -> list[str]:
    """The entries of a list, as heads or pinned rows are."""
    return [each for each in choices.get(letter, "").split(",") if each]


def token_of(choices: Mapping[str, str]) -> int | None:
    """The written token whose row is pinned first, counted from 0; None where none is.

    >>> token_of({"p": "s2,t3,t4"}), token_of({"p": "s2"})
    (3, None)
    """
    found = (match for key in listed(choices, "p") if (match := _WRITTEN.fullmatch(key)))
    return next((int(match[1]) for match in found), None)


def with_token(choices: Mapping[str, str], token: int | None) -> dict[str, str]:
    """The choices with this written token's row pinned, where it is not, and no other's; None lifts it.

    >>> with_token({"p": "t3,t4"}, 3), with_token({"p": "t3,s1"}, 5), with_token({"p": "t3,s1"}, None)
    ({'p': 't3,t4'}, {'p': 't5'}, {'p': 's1'})
    """
    if token_of(choices) == token:
        return dict(choices)
    left = [] if token is not None else [key for key in listed(choices, "p") if not _WRITTEN.fullmatch(key)]
    return {**choices, "p": ",".join([f"t{token}"] if token is not None else left)}


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
