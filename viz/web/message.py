"""What travels to the viewer: one typed, versioned message. ``src/types.js`` says the same to its scripts."""

from __future__ import annotations

from typing import Literal, TypedDict

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
