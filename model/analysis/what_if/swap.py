"""One word of a sentence exchanged for another, and what that changes."""

from __future__ import annotations

import re
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


_OBJECTS = {"i": "me", "you": "you", "he": "him", "she": "her", "we": "us", "they": "them"}
_SUBJECTS = {form: subject for subject, form in _OBJECTS.items()} | {"me": "I"}
_CLAUSE = re.compile(r"(I|you|he|she|we|they)( \w+ )(me|you|him|her|us|them)\b", re.IGNORECASE)
_NEGATED = re.compile(r"\b(\w+?)(?:n't| not)\b", re.IGNORECASE)
_SHORT = {"ca": "can", "wo": "will", "sha": "shall"}
_HELPERS = "am|is|are|was|were|can|could|will|would|shall|should|must|may|might|did|does|has|had"
_HELPER = re.compile(rf"\b({_HELPERS})\b", re.IGNORECASE)
_PRESENT = re.compile(r"^(I|you|we|they) (?=\w)", re.IGNORECASE)
_PAIRS = (
    ("tired", "wide"), ("love", "hate"), ("red", "green"), ("sister", "brother"), ("old", "young"), ("big", "small"),
    ("man", "woman"), ("cat", "dog"), ("hot", "cold"), ("day", "night"), ("boy", "girl"), ("good", "bad"),
    ("thinking", "sleeping"), ("moved", "walked"), ("yesterday", "tomorrow"), ("one", "three"),
)  # fmt: skip
_OTHER = {word: other for pair in _PAIRS for word, other in (pair, pair[::-1])}


def variants(text: str, letters: bool = False) -> list[str]:
    """Sentences that differ from one in a single thing, most telling first; none where no rule fits.

    Args:
        text: an English sentence, or letters that a model goes through one by one.
        letters: it is letters: the first and the last change places.

    >>> variants("I love you.")
    ['You love me.', 'I hate you.', 'I do not love you.']
    >>> variants("It wasn't red."), variants("abcd", letters=True)
    (["It wasn't green.", 'It was red.'], ['dbca'])
    """
    if letters:
        found = [text[-1] + text[1:-1] + text[0]] if len(text) > 1 else []
    else:
        found = [_exchanged(text), _swapped(text), _negated(text)]
    return [each for each in dict.fromkeys(found) if each and each != text]


def _exchanged(text: str) -> str:
    """Subject and object in each other's places."""

    def exchange(match: re.Match[str]) -> str:
        subject, verb, thing = match[1], match[2], match[3]
        first = _SUBJECTS["me" if thing.lower() == "me" else thing.lower()]
        first = first[:1].upper() + first[1:] if subject[:1].isupper() else first
        return first + verb + _OBJECTS[subject.lower()]

    return _CLAUSE.sub(exchange, text, count=1)


def _swapped(text: str) -> str:
    """One word exchanged for another of its kind."""
    for match in re.finditer(r"\w+", text):
        if other := _OTHER.get(match[0].lower()):
            other = other.capitalize() if match[0][:1].isupper() else other
            return text[: match.start()] + other + text[match.end() :]
    return ""


def _negated(text: str) -> str:
    """With a "not", or without the one that there is."""
    if match := _NEGATED.search(text):
        word = _SHORT.get(match[1].lower(), match[1])
        return text[: match.start()] + word + text[match.end() :]
    if match := _HELPER.search(text):
        return f"{text[: match.end()]} not{text[match.end() :]}"
    return _PRESENT.sub(lambda found: f"{found[1]} do not ", text) if _PRESENT.match(text) else ""
