"""Small pieces of HTML, in which whatever is not markup itself is shown literally."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import ClassVar, Self

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
