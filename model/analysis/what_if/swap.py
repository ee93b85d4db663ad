"""One word of a sentence exchanged for another, and what that changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from model.attribution.labelled_map import words_of
from model.trace import Label


@dataclass(frozen=True)
class Word:
    """A word of the source and its character span [start, end)."""

    text: str
    start: int
    end: int


def source_words(source: str, labels: Sequence[Label]) -> list[Word]:
    """The words of a source sentence that hold a letter or a digit, in order.

    Args:
        source: what was typed.
        labels: its tokens, whose spans point into it.
    """
    words = [Word(source[each.start : each.end], each.start, each.end) for each in words_of(labels)[0]]
    return [word for word in words if any(map(str.isalnum, word.text))]


def swapped(source: str, word: Word, new: str) -> tuple[str, Word]:
    """The sentence with ``new`` in the place of ``word``, and where it stands.

    It takes over the capital with which a sentence begins.
    """
    new = new.strip()
    if not source[: word.start].strip() and word.text[:1].isupper():
        new = new[:1].upper() + new[1:]
    text = source[: word.start] + new + source[word.end :]
    return text, Word(new, word.start, word.start + len(new))


@dataclass(frozen=True)
class Change:
    """Tokens [start, end) of one sequence that became tokens [new_start, new_end) of another."""

    start: int
    end: int
    new_start: int
    new_end: int


def changes(before: Sequence[str], after: Sequence[str]) -> list[Change]:
    """What differs between two sequences of tokens (Ratcliff and Metzener 1988, as difflib has it)."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [Change(*places) for kind, *places in matcher.get_opcodes() if kind != "equal"]
