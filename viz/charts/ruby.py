"""Pinyin over Chinese characters, for those who read none."""

from __future__ import annotations

import unicodedata
from itertools import groupby
from typing import Any

from markupsafe import Markup, escape

from viz.charts.markup import tag


def ruby(text: str) -> Markup:
    """The text with its pinyin above it, a syllable a character; what is not Chinese stays as it is.

    Readings go by words (pypinyin's table of phrases): 银行 is yín háng. A character that is read in several
    ways where no phrase decides gets its usual reading, which may be the wrong one.

    >>> ruby("银行 <b>")
    Markup('<ruby>银<rt>yín</rt></ruby><ruby>行<rt>háng</rt></ruby> &lt;b&gt;')
    """
    return Markup("").join(
        Markup("").join(map(_syllable, run, readings(run))) if chinese else escape(run)
        for chinese, run in ((chinese, "".join(chars)) for chinese, chars in groupby(text, is_chinese))
    )


def readings(characters: str) -> list[str]:
    """The pinyin of each Chinese character; "" of one that the table does not know."""
    from pypinyin import pinyin  # a table of several megabytes, read only where somebody asks for it

    blanks: Any = lambda unknown: [""] * len(unknown)  # noqa: E731 - its stubs know of texts only
    found = [each[0] for each in pinyin(characters, errors=blanks)]
    return found if len(found) == len(characters) else [""] * len(characters)


def is_chinese(char: str) -> bool:
    """True for a Chinese character, not for Chinese punctuation.

    >>> is_chinese("它"), is_chinese("，"), is_chinese("a")
    (True, False, False)
    """
    return unicodedata.name(char, "").startswith("CJK UNIFIED IDEOGRAPH")


def _syllable(char: str, reading: str) -> Markup:
    return tag("ruby", char, tag("rt", reading)) if reading else escape(char)
