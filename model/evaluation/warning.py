"""At which confidence to warn that a translation may be wrong, and how often the verdict on it is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import sacrebleu

from model.errors import CorpusError
from model.evaluation.kept import numbered_cells

if TYPE_CHECKING:
    from model.trace import Translation
    from model.translator import Translator

POOR = 10.0  # chrF of a sentence with its one reference; what is poorer is taken for wrong
THRESHOLDS = np.arange(5, 100) / 100


@dataclass(frozen=True)
class Judged:
    """Greedy translations and what the verdict says of them apart from confidence; arrays of one length N.

    Attributes:
        confidence: geometric mean of the token probabilities, in [0, 1].
        chrf: of each with its reference.
        doubted: bool, for reasons that need no threshold; ``bad``: among them one that names a fault.
    """

    confidence: np.ndarray
    chrf: np.ndarray
    doubted: np.ndarray
    bad: np.ndarray

    @property
    def poor(self) -> np.ndarray:
        """Which are taken for wrong, bool [N]."""
        return self.chrf < POOR

    def warned(self, threshold: float) -> np.ndarray:
        """Of which the verdict is not "good", bool [N]."""
        return self.doubted | (self.confidence < threshold)


def measured(
    translator: Translator,
    rows: Sequence[Sequence[str]],
    judge: Callable[[Translation], tuple[float, bool, bool]],
    progress: Callable[[int], object] = lambda _: None,
) -> Judged:
    """The verdict on the greedy translation of each (English, Chinese, …) row, and its chrF.

    Args:
        translator: what writes the translations.
        rows: sentences, each with its reference behind it.
        judge: of a translation its confidence, whether it is doubted for another reason, and whether a fault is named.
        progress: called with the number of rows that are done.
    """
    found = []
    for done, row in enumerate(rows, 1):
        translation = translator.translate(row[0])
        found.append((sacrebleu.sentence_chrf(translation.text, [row[1]]).score, *judge(translation)))
        progress(done)
    chrf, confidence, doubted, bad = np.array(found, dtype=float).reshape(-1, 4).T
    return Judged(confidence, chrf, doubted.astype(bool), bad.astype(bool))


def warning(chosen_on: Judged, scored_on: Judged) -> dict[str, Any]:
    """Where to warn, chosen on some sentences, and the rates of the verdict with that threshold on others.

    The threshold is the one with the largest difference between the share of poor translations that
    the verdict doubts and the share of others that it doubts (Youden 1950); among equals the middle one.

    Args:
        chosen_on: sentences that choose.
        scored_on: sentences that have no say in it.

    Returns:
        ``threshold``; of the sentences scored on: ``caught`` (share of the poor ones that are warned of),
        ``false_alarms`` (of the others), ``right`` (share of those warned of that are poor; None without a warning),
        in [0, 1]; ``bad`` and ``bad_right``: the same of those of which a fault is named, as a share of all and how
        many of them are poor; ``sentences``, ``poor`` (how many), ``poor_below`` (chrF), and ``auc``: how often a poor
        translation has less confidence than another.

    Raises:
        ValueError: one of the two has no poor translation, or no other.
    """
    for each in (chosen_on, scored_on):
        if len(set(each.poor.tolist())) < 2:
            raise ValueError("too few poor translations, or too few others, to choose a threshold or to score it")
    threshold = _threshold(chosen_on)
    confidences, poor, warned = scored_on.confidence, scored_on.poor, scored_on.warned(threshold)
    lower = confidences[poor][:, None] < confidences[~poor]
    ties = confidences[poor][:, None] == confidences[~poor]
    return {
        "threshold": threshold,
        "caught": round(float(warned[poor].mean()), 3),
        "false_alarms": round(float(warned[~poor].mean()), 3),
        "right": round(float(poor[warned].mean()), 3) if warned.any() else None,
        "bad": round(float(scored_on.bad.mean()), 3),
        "bad_right": round(float(poor[scored_on.bad].mean()), 3) if scored_on.bad.any() else None,
        "sentences": len(poor),
        "poor": int(poor.sum()),
        "poor_below": POOR,
        "auc": round(float((lower + ties / 2).mean()), 3),
    }


def _threshold(judged: Judged) -> float:
    warned = np.stack([judged.warned(threshold) for threshold in THRESHOLDS])
    gains = warned[:, judged.poor].mean(1) - warned[:, ~judged.poor].mean(1)
    best = np.flatnonzero(gains == gains.max())
    return float(THRESHOLDS[best[len(best) // 2]])


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
