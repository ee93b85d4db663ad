"""Translations that a reader judged right or wrong in meaning, and how the verdict fares on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from model.errors import CorpusError
from model.evaluation.lines import numbered_cells

if TYPE_CHECKING:
    from model.trace import Translation
    from model.translator import Translator

JUDGED = Path(__file__).resolve().parents[1] / "truth" / "judged-en-zh.tsv"
_WORDS = {"right": False, "wrong": True}


@dataclass(frozen=True)
class JudgedSentence:
    """A sentence, one translation of it, and whether a reader found that wrong in meaning."""

    english: str
    translation: str
    is_wrong: bool


def read_judged(path: Path = JUDGED) -> list[JudgedSentence]:
    """Sentences of a TSV file: English, a translation, ``right`` or ``wrong``.

    Raises:
        CorpusError: the file cannot be read or is empty, or a line is not so.
    """
    sentences = []
    for number, cells in numbered_cells(path):
        if len(cells) != 3 or not all(cells) or cells[2] not in _WORDS:
            raise CorpusError(f"{path} line {number}: expected English, a translation, and right or wrong")
        sentences.append(JudgedSentence(cells[0], cells[1], _WORDS[cells[2]]))
    return sentences


def judged_rates(
    translator: Translator,
    sentences: Sequence[JudgedSentence],
    is_doubted: Callable[[Translation], bool],
    progress: Callable[[int], object] = lambda _: None,
) -> dict[str, Any]:
    """How many of the wrong translations the verdict doubts, and how many of the right ones.

    Args:
        translator: what wrote the translations.
        sentences: judged ones; where it now writes something else, the judgement says nothing and is left out.
        is_doubted: whether the verdict on a translation is not "good".
        progress: called with the number of sentences that are done.

    Returns:
        ``sentences`` and ``wrong`` (how many), ``caught`` (share of the wrong ones that are doubted), ``false_alarms``
        (of the right ones), in [0, 1], None where there are none; ``changed``: how many were left out.
    """
    found: list[tuple[bool, bool]] = []
    for done, each in enumerate(sentences, 1):
        translation = translator.translate(each.english)
        if translation.text == each.translation:
            found.append((each.is_wrong, is_doubted(translation)))
        progress(done)
    wrong, right = ([doubted for is_wrong, doubted in found if is_wrong is which] for which in (True, False))
    return {
        "sentences": len(found),
        "wrong": len(wrong),
        "caught": round(sum(wrong) / len(wrong), 3) if wrong else None,
        "false_alarms": round(sum(right) / len(right), 3) if right else None,
        "changed": len(sentences) - len(found),
    }
