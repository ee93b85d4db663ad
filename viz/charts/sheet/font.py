"""The font of sheets: a subset of Noto Sans CJK SC that lies beside this file, with its licence."""

from __future__ import annotations

import string
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fontTools.ttLib import TTFont

SHEET_FONT = Path(__file__).resolve().parent / "assets" / "HeadlightSansSC.otf"
FONT_NAME = "Headlight Sans SC"
FAMILY = "Noto Sans CJK SC"
MISSING = "□"  # stands for a character that the subset does not have
SIGNS = "→←↑↓−Σ·×√∂αφπ‖≤≥≈±÷…“”‘’–—□°©§№，。、；：？！（）《》〈〉「」『』【】"


@lru_cache(maxsize=1)
def widths() -> dict[str, float]:
    """Width of each character of the font, as a part of the type size."""
    from fontTools.ttLib import TTFont

    with TTFont(SHEET_FONT, lazy=True) as font:
        advance, per_em = font["hmtx"], font["head"].unitsPerEm
        return {chr(code): advance[glyph][0] / per_em for code, glyph in font.getBestCmap().items()}


def writable(text: str) -> str:
    """The text with a box for every character that the font lacks; a line break is a space.

    >>> writable("a动\\nb")
    'a动 b'
    """
    known = widths()
    return "".join(sign if sign in known else " " if sign.isspace() else MISSING for sign in text)


def width(text: str, size: float) -> float:
    """Width of a text in the units of ``size``."""
    known = widths()
    return size * sum(known.get(sign, 1.0) for sign in writable(text))


def make(collection: Path, characters: Iterable[str]) -> int:
    """Write the subset that holds these characters, Latin-1 and the signs of captions; returns its bytes.

    Args:
        collection: Debian's NotoSansCJK-Regular.ttc (package fonts-noto-cjk).
        characters: that it must hold, as far as Noto has them.

    Raises:
        ValueError: the collection holds no such font.
    """
    from fontTools import subset
    from fontTools.ttLib import TTCollection

    fonts = TTCollection(collection, lazy=True).fonts
    font = next((each for each in fonts if each["name"].getDebugName(4) == FAMILY), None)
    if font is None:
        raise ValueError(f"{collection} holds no {FAMILY}")
    latin = {chr(code) for code in range(0xA0, 0x180)} | set(string.printable) - set(string.whitespace)
    options = subset.Options(
        layout_features=[], hinting=False, desubroutinize=False, name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14]
    )
    cut = subset.Subsetter(options)
    cut.populate(text="".join({*latin, *SIGNS, " ", *characters}))
    cut.subset(font)
    _rename(font)
    font["head"].modified = font["head"].created
    font.recalcTimestamp = False
    font.save(SHEET_FONT)
    return SHEET_FONT.stat().st_size


def _rename(font: TTFont) -> None:
    """A name of its own: it is no longer what bears Noto's."""
    for record in font["name"].names:
        if record.nameID in {1, 4}:
            record.string = FONT_NAME
        elif record.nameID == 6:
            record.string = FONT_NAME.replace(" ", "")
    font["CFF "].cff.fontNames[0] = FONT_NAME.replace(" ", "")
