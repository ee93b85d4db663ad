"""Words that a translation must have: a file of sentences with them, and how many stand in the translations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from model.errors import CorpusError
from model.evaluation.kept import missing_names
from model.evaluation.lines import numbered_cells


@dataclass(frozen=True)
class MustSentence:
    """A sentence, and what its translation must hold: of each word the forms that will do."""

    english: str
    words: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class MustScore:
    """How many must-have words stand in the translations.

    Attributes:
        words: (held, all), counted one by one.
        sentences: (with all of theirs, all).
        failures: source, translation and the first form of each word that it lacks.
    """

    words: tuple[int, int]
    sentences: tuple[int, int]
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
