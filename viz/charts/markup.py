"""Small pieces of HTML, in which whatever is not markup itself is shown literally; pinyin over Chinese."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Any, ClassVar, Self

from markupsafe import Markup, escape


def tag(name: str, *content: object, **attributes: object) -> Markup:
    """An element; an attribute that Python or HTML would misread has _ for -, or after it.

    >>> tag("p", "a < b", tag("br"), class_="x", data_table='"')
    Markup('<p class="x" data-table="&#34;">a &lt; b<br></p>')
    """
    said = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items()
    )
    head = Markup("<{}{}>").format(name, said)
    return head if name == "br" else Markup("{}{}</{}>").format(head, Markup("").join(map(escape, content)), name)


def line(look: str, *content: object, **attributes: object) -> Markup:
    """A paragraph that looks as the frame's style says: "lead", "alt", "error", "holds" or "fails"."""
    return tag("p", *content, class_=f"hl-{look}", **attributes)


def alert(sentence: str) -> Markup:
    """A sentence that says what is wrong."""
    return line("error", sentence, role="alert")


@dataclass(frozen=True)
class Words:
    """Texts in the visitor's language, a field each; ``PREFIX`` and a field's name make the key of its text."""

    PREFIX: ClassVar[str]

    @classmethod
    def said_by(cls, say: Callable[[str], str]) -> Self:
        """The words that ``say("<prefix>.<field>")`` gives."""
        return cls(**{field.name: say(f"{cls.PREFIX}.{field.name}") for field in fields(cls)})


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
