"""Numbers and names that must stand in a translation: a held-out test, and how many were kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from model.errors import CorpusError


def numbered_cells(path: Path) -> list[tuple[int, list[str]]]:
    """The cells of each line of a TSV file, with its number from 1.

    Raises:
        CorpusError: the file cannot be read, or is empty.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"cannot read {path}: {error}") from None
    if not lines:
        raise CorpusError(f"{path} holds no sentence")
    return [(number, line.split("\t")) for number, line in enumerate(lines, 1)]


KEPT = Path(__file__).resolve().parents[1] / "truth" / "numbers-names.tsv"
LONG_WORDS = 15
NUMERALS = ("", "一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
WIDTH = str.maketrans("０１２３４５６７８９：．，－–", "0123456789:.,--")
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
CHINESE_DIGIT = "零一二三四五六七八九十百千万"


@dataclass(frozen=True)
class KeptSentence:
    """A sentence, and what its translation must hold: of each number and name the forms that will do."""

    english: str
    numbers: tuple[tuple[str, ...], ...]
    names: tuple[tuple[str, ...], ...]

    @property
    def is_long(self) -> bool:
        """True for ``LONG_WORDS`` words or more with two numbers or more, where numbers change places most easily."""
        return len(self.english.split()) >= LONG_WORDS and len(self.numbers) > 1


@dataclass(frozen=True)
class Kept:
    """What was kept of the numbers and names of sentences."""

    # numbers, names: (kept, all), counted one by one
    numbers: tuple[int, int]
    long_numbers: tuple[int, int]  # the numbers of long sentences alone
    names: tuple[int, int]
    sentences: tuple[int, int]  # (with every number kept, with a number)
    # sentences in which something is missing: source, translation, what is missing
    failures: tuple[tuple[str, str, tuple[str, ...]], ...]


def read_kept(path: Path = KEPT) -> list[KeptSentence]:
    """Sentences of a TSV file: English, numbers, names; items by spaces, the forms that will do by ``|``.

    Raises:
        CorpusError: the file cannot be read, or a line has not three cells, or no number and no name.
    """
    sentences = []
    for number, cells in numbered_cells(path):
        if len(cells) != 3 or not cells[0] or not (cells[1] + cells[2]).strip():
            raise CorpusError(f"{path} line {number}: expected English, a tab, numbers, a tab, names")
        numbers, names = (tuple(tuple(item.split("|")) for item in cell.split()) for cell in cells[1:])
        sentences.append(KeptSentence(cells[0], numbers, names))
    return sentences


def missing_numbers(wanted: Sequence[Sequence[str]], translation: str) -> list[str]:
    """Of the numbers wanted, those that do not stand in the translation; each place counts once.

    A number stands there if its digits do, exactly and not as a part of a longer number, whether or
    not thousands are set apart and digits are full-width. 1 to 12 may also be written 一 to 十二 (2
    also 两); a month is its number and 月.
    """
    rest = THOUSANDS.sub("", translation.translate(WIDTH))
    missing = []
    for forms in sorted(wanted, key=lambda forms: -len(forms[0])):
        found = next((match for form in forms if (match := _pattern(form).search(rest))), None)
        if found is None:
            missing.append(forms[0])
        else:
            rest = f"{rest[: found.start()]} {rest[found.end() :]}"
    return missing


def _pattern(form: str) -> re.Pattern[str]:
    """A form as digits that are no part of a longer number, or, if it is small, as a Chinese numeral."""
    number = re.match(r"\d+", form)
    digits = rf"(?<!\d)(?<!\d[.:]){re.escape(form)}" + (r"(?![.:]?\d)" if form[-1].isdigit() else "")
    if number is None or int(number[0]) not in range(1, len(NUMERALS)) or number[0].startswith("0"):
        return re.compile(digits)
    value, tail = int(number[0]), re.escape(form[number.end() :])
    numeral = "[二两]" if value == 2 else NUMERALS[value]
    return re.compile(rf"{digits}|(?<![{CHINESE_DIGIT}]){numeral}(?![{CHINESE_DIGIT}]){tail}")


def missing_names(wanted: Sequence[Sequence[str]], translation: str) -> list[str]:
    """Of the names wanted, those of which no form stands in the translation."""
    return [forms[0] for forms in wanted if not any(form in translation for form in forms)]


def kept(sentences: Sequence[KeptSentence], translations: Sequence[str]) -> Kept:
    """How many numbers and names of the sentences stand in their translations."""
    lost_numbers = [missing_numbers(each.numbers, text) for each, text in zip(sentences, translations, strict=True)]
    lost_names = [missing_names(each.names, text) for each, text in zip(sentences, translations, strict=True)]
    losses = list(zip(sentences, translations, lost_numbers, lost_names, strict=True))
    long = [(each.numbers, lost) for each, _, lost, _ in losses if each.is_long]
    with_numbers = [lost for each, _, lost, _ in losses if each.numbers]
    return Kept(
        _counted([(each.numbers, lost) for each, _, lost, _ in losses]),
        _counted(long),
        _counted([(each.names, lost) for each, _, _, lost in losses]),
        (sum(not lost for lost in with_numbers), len(with_numbers)),
        tuple((each.english, text, (*lost, *names)) for each, text, lost, names in losses if lost or names),
    )


def _counted(pairs: Sequence[tuple[Sequence[object], Sequence[object]]]) -> tuple[int, int]:
    """(kept, all) of (wanted, lost) pairs."""
    total = sum(len(wanted) for wanted, _ in pairs)
    return total - sum(len(lost) for _, lost in pairs), total


@dataclass(frozen=True)
class MustSentence:
    """A sentence, and what its translation must hold: of each word the forms that will do."""

    english: str
    words: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class MustScore:
    """How many must-have words stand in the translations."""

    words: tuple[int, int]  # (held, all), counted one by one
    sentences: tuple[int, int]  # (with all of theirs, all)
    # source, translation and the first form of each word that it lacks
    failures: tuple[tuple[str, str, tuple[str, ...]], ...]

    @property
    def percent(self) -> float:
        """Share of the words that stand, in percent."""
        return 100 * self.words[0] / self.words[1]


def read_must(path: Path) -> list[MustSentence]:
    """Sentences of a TSV file: English, then a must-have word a cell, its alternatives separated by ``|``.

    Raises:
        CorpusError: the file cannot be read or is empty, or a line has no English or no word.
    """
    sentences = []
    for number, line in numbered_cells(path):
        english, *cells = (cell.strip() for cell in line)
        words = tuple(tuple(form for form in cell.split("|") if form) for cell in cells if cell)
        if not english or not words or not all(words):
            raise CorpusError(
                f"{path} line {number}: expected English, a tab, and words that its translation must have"
            )
        sentences.append(MustSentence(english, words))
    return sentences


def must_score(sentences: Sequence[MustSentence], translations: Sequence[str]) -> MustScore:
    """How many of the words that they must have stand in the translations, one translation a sentence."""
    total = sum(len(sentence.words) for sentence in sentences)
    failures = []
    for sentence, translation in zip(sentences, translations, strict=True):
        if lacking := missing_names(sentence.words, translation):
            failures.append((sentence.english, translation, tuple(lacking)))
    missing = sum(len(lacking) for *_, lacking in failures)
    return MustScore((total - missing, total), (len(sentences) - len(failures), len(sentences)), tuple(failures))
