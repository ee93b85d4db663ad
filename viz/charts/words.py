"""The words in a figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import ClassVar, Self


@dataclass(frozen=True)
class Words:
    """Texts in the visitor's language, a field each; ``PREFIX`` and a field's name make the key of its text."""

    PREFIX: ClassVar[str]

    @classmethod
    def said_by(cls, say: Callable[[str], str]) -> Self:
        """The words that ``say("<prefix>.<field>")`` gives."""
        return cls(**{field.name: say(f"{cls.PREFIX}.{field.name}") for field in fields(cls)})
