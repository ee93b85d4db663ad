"""A question to a class, and what counts as an answer to it. Plain data; the right answer is no part of it."""

from __future__ import annotations

import hashlib
import json
import math
import secrets
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Literal

from model.errors import HeadlightError

MOST_NUMBER = 1e9
MOST_BARS = 8  # different numbers that a tally shows
MOST_POINTED = 5  # tokens or heads that a tally shows
MOST_SENTENCE = 300  # characters
MOST_WORDING = 300  # of a lecturer's question
CODE_SIGNS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that is read for another; a prime number of them
LEARNER_LENGTH = 8  # signs of a learner's code, the last of which checks the others


class ClassError(HeadlightError):
    """What a phone sent is not accepted; ``code`` says why in one word that the phone's page knows."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class ClassQuestion:
    """What a phone shows.

    Attributes:
        kind: whether an option is chosen, a number is typed, or a token or a head is pointed at, which are options too.
        ask: the question, in English and in Chinese.
        options: each in English and in Chinese; () where a number is asked for.
        item, form: of a lesson's question its template and when it is asked; "" of any other.
    """

    kind: Literal["choice", "number", "token", "head"]
    ask: tuple[str, str]
    options: tuple[tuple[str, str], ...] = ()
    item: str = ""
    form: str = ""

    @cached_property
    def name(self) -> str:
        """The same for the same question, so that one asked again goes on counting."""
        said = json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(said.encode()).hexdigest()[:16]

    def read(self, said: object) -> str:
        """An answer as it is kept: the option's place, from 0, or the number.

        Raises:
            ClassError: it is none.
        """
        if type(said) is int and self.kind != "number" and 0 <= said < len(self.options):
            return str(said)
        if type(said) in (int, float) and self.kind == "number":
            number = float(said)  # type: ignore[arg-type]
            if math.isfinite(number) and abs(number) <= MOST_NUMBER:
                return f"{number:.10g}"
        raise ClassError("answer")

    def label(self, answer: str, language: str) -> str:
        """An answer that was kept, in words."""
        return of(self.options[int(answer)], language) if self.kind != "number" else answer

    def packed(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)


def of(both: tuple[str, str], language: str) -> str:
    """A text in a language; where only one was given, it stands for the other."""
    return (both[1] or both[0]) if language == "zh" else (both[0] or both[1])


def unpacked(said: str) -> ClassQuestion:
    """What ``packed`` wrote."""
    found = json.loads(said)
    options = tuple((en, zh) for en, zh in found["options"])
    return ClassQuestion(found["kind"], tuple(found["ask"]), options, found.get("item", ""), found.get("form", ""))


def bars(question: ClassQuestion, answers: Iterable[str]) -> Mapping[str, int]:
    """How often each answer was given: every option; tokens and heads by count; the most given numbers, by size."""
    counted = Counter(answers)
    if question.kind == "choice":
        return {str(place): counted[str(place)] for place in range(len(question.options))}
    if question.kind != "number":
        first = sorted(counted, key=lambda answer: (-counted[answer], int(answer)))
        return {answer: counted[answer] for answer in first[:MOST_POINTED]}
    most = [answer for answer, _ in counted.most_common(MOST_BARS)]
    return {answer: counted[answer] for answer in sorted(most, key=float)}


def read_sentence(said: object) -> str:
    """A sentence from the hall: one line, without signs that cannot be seen.

    Raises:
        ClassError: it is none.
    """
    if not isinstance(said, str):
        raise ClassError("empty")
    seen = "".join(sign if unicodedata.category(sign)[0] not in "CZ" else " " for sign in said)
    if not (kept := " ".join(seen.split())) or len(kept) > MOST_SENTENCE:
        raise ClassError("empty")
    return kept


def read_wording(said: object) -> str:
    """A lecturer's own question in one language, on one line; "" for none.

    Raises:
        ClassError: it is no text, or too long.
    """
    if not isinstance(said, str) or len(kept := " ".join(said.split())) > MOST_WORDING or not kept.isprintable():
        raise ClassError("wording")
    return kept


def new_learner() -> str:
    """A code by which a learner's tests of weeks are told to be one learner's; random, and says nothing of anybody."""
    signs = "".join(secrets.choice(CODE_SIGNS) for _ in range(LEARNER_LENGTH - 1))
    return next(code for sign in CODE_SIGNS if _is_checked(code := signs + sign))


def read_learner(said: object) -> str:
    """A learner's code as it was typed, without spaces and hyphens.

    Raises:
        ClassError: it is none; one wrong sign, or two neighbours exchanged, are always found.
    """
    code = "".join(said.lower().split()).replace("-", "") if isinstance(said, str) else ""
    if len(code) != LEARNER_LENGTH or not set(code) <= set(CODE_SIGNS) or not _is_checked(code):
        raise ClassError("mistyped")
    return code


def _is_checked(code: str) -> bool:
    """Whether its signs, weighed by their places from 1, add up to a multiple of a prime number (as in an ISBN-10)."""
    weighed = (place * CODE_SIGNS.index(sign) for place, sign in enumerate(code, 1))
    return sum(weighed) % len(CODE_SIGNS) == 0
