"""One or several labelled maps laid out on a white sheet of a chosen width, with a caption; in points (1/72 inch)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase

import numpy as np

from viz.charts.colour import on_scale, prefers_light_ink
from viz.charts.sheet.font import width
from viz.core.numbers import number
from viz.core.theme import LIGHT

POINTS_A_CM = 72 / 2.54
PRINTED_UP_TO = 24  # rows and columns up to which cells say their numbers
BAR = (72.0, 5.0)  # width and height of the colour scale
_PIECES = re.compile(
    r"[\u2e80-\u9fff\uff00-\uffef][。，、；：？！）》」』”’.,]*|[^\s\u2e80-\u9fff\uff00-\uffef]+\s*|\s+"
)
_CHINESE = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]+")


@dataclass(frozen=True)
class SheetMap:
    """One map: its title, its tokens, values [Q, K], and where its colours end.

    Raises:
        ValueError: values do not fit the tokens, or the scale has no end above 0.
    """

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: np.ndarray
    high: float = 1.0
    signed: bool = False
    threshold: float = 0.0  # values smaller than this part of ``high`` are blank

    def __post_init__(self) -> None:
        expected = (len(self.rows), len(self.columns))
        if self.values.shape != expected or not self.values.size:
            raise ValueError(f"values have shape {self.values.shape}, but there are {expected} tokens")
        if not self.high > 0:
            raise ValueError(f"high must be above 0, got {self.high}")


@dataclass(frozen=True)
class SheetStyle:
    """Width of the sheet in cm, and size of its type in points, which shrinks only where labels would overlap.

    Raises:
        ValueError: one of both is out of reason.
    """

    width_cm: float = 16.0
    type_pt: float = 9.0

    def __post_init__(self) -> None:
        if not (4 <= self.width_cm <= 100 and 4 <= self.type_pt <= 40):
            raise ValueError(f"a sheet is 4 to 100 cm wide in type of 4 to 40 pt, got {self.width_cm}, {self.type_pt}")


@dataclass(frozen=True)
class Box:
    """A rectangle: left, top, width, height, and its "#rrggbb"."""

    x: float
    y: float
    w: float
    h: float
    fill: str


@dataclass(frozen=True)
class Write:
    """A text on its base line; ``anchor`` says what of it stands at x; ``turned``: it runs upwards."""

    x: float
    y: float
    text: str
    size: float
    anchor: str = "start"  # "middle", "end"
    turned: bool = False
    ink: str = LIGHT.text


@dataclass(frozen=True)
class Sheet:
    """All of it, and what it is called."""

    width: float
    height: float
    marks: tuple[Box | Write, ...]
    title: str


def sheet(maps: Sequence[SheetMap], caption: str, style: SheetStyle | None = None) -> Sheet:
    """The maps side by side, up to three abreast, four as two and two, each with its letter; under them the caption.

    Raises:
        ValueError: there is no map.
    """
    if not maps:
        raise ValueError("there is no map to draw")
    style = style or SheetStyle()
    size, total = style.type_pt, style.width_cm * POINTS_A_CM
    abreast = 2 if len(maps) == 4 else min(3, len(maps))
    if len(maps) > 1:
        maps = [
            replace(each, title=f"({letter}) {each.title}") for letter, each in zip(ascii_lowercase, maps, strict=False)
        ]
    gap, marks, y = 1.6 * size, [], size
    room = (total - (abreast + 1) * gap) / abreast
    for start in range(0, len(maps), abreast):
        method = [_map(each, room, size) for each in maps[start : start + abreast]]
        for place, (_, found) in enumerate(method):
            marks += [replace(mark, x=mark.x + gap + place * (room + gap), y=mark.y + y) for mark in found]
        y += max(height for height, _ in method) + gap
    for line in wrapped(caption, total - 2 * gap, size):
        y += 1.35 * size
        marks.append(Write(gap, y, line, size))
    return Sheet(total, y + gap, tuple(marks), " · ".join(each.title for each in maps))


def _map(given: SheetMap, room: float, size: float) -> tuple[float, list[Box | Write]]:
    """Height and marks of one map."""
    longest = min(0.3 * room, max(width(row, size) for row in given.rows))
    left = longest + 0.5 * size
    cell = min(3 * size, (room - left) / len(given.columns))
    type_size = min(size, 0.95 * cell)
    across = max(width(column, type_size) for column in given.columns) < 0.92 * cell
    above = type_size if across else max(_height(column, type_size) for column in given.columns)
    top = 1.8 * size + above + 0.6 * size
    marks: list[Box | Write] = [Write(0, size, elided(given.title, room, 1.1 * size), 1.1 * size)]
    marks += _cells(given, left, top, cell)
    for row, text in enumerate(given.rows):
        y = top + (row + 0.5) * cell + 0.35 * type_size
        marks.append(Write(left - 0.4 * size, y, elided(text, longest, type_size), type_size, "end"))
    for column, text in enumerate(given.columns):
        x = left + (column + 0.5) * cell
        at = Write(x, top - 0.4 * size, text, type_size, "middle")
        if across or _CHINESE.fullmatch(text):
            marks += [at] if across else _stacked(at)
        else:
            marks.append(replace(at, x=x + 0.35 * type_size, anchor="start", turned=True))
    bottom = top + cell * len(given.rows)
    marks += _bar(given, left, bottom + 0.6 * size, cell * len(given.columns), size)
    return bottom + 0.6 * size + BAR[1] + size, marks


def _height(column: str, size: float) -> float:
    """Of a column's label that does not stand across: turned, or its Chinese characters upon each other."""
    return len(column) * size if _CHINESE.fullmatch(column) else width(column, size)


def _stacked(label: Write) -> list[Box | Write]:
    """A label's characters upright, one below the other; the last stands on its base line."""
    below = range(len(label.text) - 1, -1, -1)
    return [replace(label, text=sign, y=label.y - n * label.size) for sign, n in zip(label.text, below, strict=True)]


def _cells(given: SheetMap, left: float, top: float, cell: float) -> list[Box | Write]:
    colours = _colours(given, given.values)
    blank = np.abs(given.values) < given.threshold * given.high
    fills = np.where(blank, LIGHT.surface, hexadecimal(colours))
    light = prefers_light_ink(colours) & ~blank
    marks: list[Box | Write] = []
    gap = min(0.4, 0.04 * cell)
    for (row, column), fill in np.ndenumerate(fills):
        marks.append(Box(left + column * cell, top + row * cell, cell - gap, cell - gap, str(fill)))
    if max(given.values.shape) <= PRINTED_UP_TO:
        size = 0.36 * cell
        for (row, column), value in np.ndenumerate(given.values):
            if abs(value) >= 0.005 and not blank[row, column]:
                x, y = left + (column + 0.5) * cell, top + (row + 0.5) * cell + 0.35 * size
                ink = "#FFFFFF" if light[row, column] else "#000000"
                marks.append(Write(x, y, number(value), size, "middle", ink=ink))
    return marks


def _bar(given: SheetMap, left: float, top: float, across: float, size: float) -> list[Box | Write]:
    """The colour scale and its ends."""
    steps, small = 36, 0.85 * size
    long = min(BAR[0], 0.5 * across)
    low = -given.high if given.signed else 0.0
    fills = hexadecimal(_colours(given, np.linspace(low, given.high, steps)))
    start = left + width(number(low), small) + 0.4 * size
    marks: list[Box | Write] = [Write(left, top + BAR[1], number(low) if low else "0", small)]
    for step, fill in enumerate(fills):
        marks.append(Box(start + step * long / steps, top, long / steps + 0.1, BAR[1], str(fill)))
    return [*marks, Write(start + long + 0.4 * size, top + BAR[1], number(given.high), small)]


def _colours(given: SheetMap, values: np.ndarray) -> np.ndarray:
    shares = values / given.high
    return on_scale(0.5 + 0.5 * shares if given.signed else shares, LIGHT.diverging if given.signed else LIGHT.scale)


def hexadecimal(colours: np.ndarray) -> np.ndarray:
    """Colours [..., 3] from 0 to 1 as "#rrggbb"."""
    parts = np.rint(255 * colours).astype(int)
    texts = [f"#{red:02X}{green:02X}{blue:02X}" for red, green, blue in parts.reshape(-1, 3)]
    return np.array(texts).reshape(parts.shape[:-1])


def elided(text: str, room: float, size: float) -> str:
    """The text, cut short where its room is too small."""
    if width(text, size) <= room:
        return text
    while len(text) > 1 and width(f"{text}…", size) > room:
        text = text[:-1]
    return f"{text}…"


def wrapped(text: str, room: float, size: float) -> list[str]:
    """Lines that fit: broken between words, or between Chinese characters."""
    lines = [""]
    for piece in _PIECES.findall(text):
        if lines[-1] and width(lines[-1] + piece.rstrip(), size) > room:
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    return [line.rstrip() for line in lines if line.strip()]
