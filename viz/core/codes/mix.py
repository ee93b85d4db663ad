"""Short strings for a link: gains of heads (``c:0,c3.2:1`` mutes every cross head but L3 H2), a painted pattern."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np

from model.analysis.heads.patterns import GRID
from model.trace import KIND_LETTERS, KINDS, HeadRef, Kind

MOST_GAIN = 1.5
MOST_CHARACTERS = 4000
Sizes = Mapping[Kind, tuple[int, int]]  # layers and heads of each kind
_KINDS = {letter: kind for kind, letter in KIND_LETTERS.items()}
_ENTRY = re.compile(r"([edc])(?:([0-9]{1,3})(?:\.([0-9]{1,3}))?)?:([01](?:\.[0-9]{1,2})?)")


def parse_mix(code: str, sizes: Sizes) -> dict[HeadRef, float]:
    """The gains other than 1 that a link names; what names no head or no gain from 0 to 1.5 is ignored.

    A kind's letter alone (``c:0``) stands for all its heads, with a layer (``c3:0``) for that
    layer's, with layer and head (``c3.2:0``) for one; a later entry outweighs an earlier one.

    >>> parse_mix("c0.1:0,nonsense", {"cross": (1, 2), "encoder_self": (1, 2), "decoder_self": (1, 2)})
    {HeadRef(kind='cross', layer=0, head=1): 0.0}
    """
    gains: dict[HeadRef, float] = {}
    for entry in code[:MOST_CHARACTERS].split(","):
        match = _ENTRY.fullmatch(entry)
        if match is None or float(match[4]) > MOST_GAIN:
            continue
        kind = _KINDS[match[1]]
        if kind not in sizes:
            continue
        layers, heads = (_chosen(match[place], count) for place, count in zip((2, 3), sizes[kind], strict=True))
        gains |= {HeadRef(kind, layer, head): float(match[4]) for layer in layers for head in heads}
    return {head: gain for head, gain in gains.items() if gain != 1}


def format_mix(gains: Mapping[HeadRef, float], sizes: Sizes) -> str:
    """A short string that ``parse_mix`` reads as these gains, to two decimals: "" where all are 1."""
    return ",".join(entry for kind in _own(sizes) for entry in _kind_entries(kind, table(gains, sizes, kind)))


def table(gains: Mapping[HeadRef, float], sizes: Sizes, kind: Kind) -> list[list[float]]:
    """Gains of every head of a kind, L rows of H."""
    layers, heads = sizes[kind]
    return [[gains.get(HeadRef(kind, layer, head), 1.0) for head in range(heads)] for layer in range(layers)]


def reported_gains(value: object, sizes: Sizes) -> dict[HeadRef, float] | None:
    """The gains other than 1 in a browser's message: percents of every head, in order; None if it is not."""
    places = [HeadRef(kind, *place) for kind in _own(sizes) for place in product(*map(range, sizes[kind]))]
    if not isinstance(value, list) or len(value) != len(places):
        return None
    if not all(type(percent) is int and 0 <= percent <= 100 * MOST_GAIN for percent in value):
        return None
    return {place: percent / 100 for place, percent in zip(places, value, strict=True) if percent != 100}


def _own(sizes: Sizes) -> list[Kind]:
    """The kinds of the model, in the order of KINDS."""
    return [kind for kind in KINDS if kind in sizes]


def _chosen(number: str | None, count: int) -> range:
    """Every index where none is given; no index where there is no such one."""
    if number is None:
        return range(count)
    return range(int(number), int(number) + 1) if int(number) < count else range(0)


def _kind_entries(kind: Kind, rows: list[list[float]]) -> list[str]:
    """The commonest gain of the kind, then of each layer that differs, then the heads that still differ."""
    texts = [[_text(gain) for gain in row] for row in rows]
    letter = KIND_LETTERS[kind]
    common = _commonest([gain for row in texts for gain in row])
    entries = [] if common == "1" else [f"{letter}:{common}"]
    for layer, row in enumerate(texts):
        own = _commonest(row) if row.count(common) * 2 < len(row) else common
        if own != common:
            entries.append(f"{letter}{layer}:{own}")
        entries += [f"{letter}{layer}.{head}:{gain}" for head, gain in enumerate(row) if gain != own]
    return entries


def _commonest(texts: Sequence[str]) -> str:
    """The gain of more than half of the heads; "1" where there is none."""
    if not texts:
        return "1"
    text, count = Counter(texts).most_common(1)[0]
    return text if 2 * count > len(texts) else "1"


def _text(gain: float) -> str:
    return f"{gain:.2f}".rstrip("0").rstrip(".")


DIGITS = GRID * GRID // 4
_CODE = re.compile(rf"[0-9a-f]{{{DIGITS}}}")


def pattern_code(painted: np.ndarray) -> str:
    """Sixteen digits that ``parse_pattern`` reads as these cells; "" where none is painted.

    >>> pattern_code(np.eye(8))
    '8040201008040201'
    """
    bits = "".join("1" if cell else "0" for cell in painted.ravel() > 0.5)
    return f"{int(bits, 2):0{DIGITS}x}" if "1" in bits else ""


def parse_pattern(code: object) -> np.ndarray:
    """The painted cells, 0 or 1, [GRID, GRID]; none where the code is not one."""
    if not isinstance(code, str) or not _CODE.fullmatch(code):
        return np.zeros((GRID, GRID))
    bits = f"{int(code, 16):0{GRID * GRID}b}"
    return np.array([float(bit) for bit in bits]).reshape(GRID, GRID)
