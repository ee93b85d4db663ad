"""At which confidence to warn that a translation may be wrong, and how often such a warning is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import sacrebleu

if TYPE_CHECKING:
    from model.translator import Translator

POOR = 10.0  # chrF of a sentence with its one reference; what is poorer is taken for wrong
THRESHOLDS = np.arange(5, 100) / 100
ScoredSentences = tuple[np.ndarray, np.ndarray]  # confidence in [0, 1] and chrF of each sentence, [N] each


def measured(
    translator: Translator, rows: Sequence[Sequence[str]], progress: Callable[[int], object] = lambda _: None
) -> tuple[np.ndarray, np.ndarray]:
    """Confidence in [0, 1] of each greedy translation of (English, Chinese, …) rows, and its chrF: [N] each."""
    found = []
    for done, row in enumerate(rows, 1):
        translation = translator.translate(row[0])
        confidence = float(np.exp(np.mean(translation.log_probs)))
        found.append((confidence, sacrebleu.sentence_chrf(translation.text, [row[1]]).score))
        progress(done)
    confidences, chrf = np.array(found).reshape(-1, 2).T
    return confidences, chrf


def warning(chosen_on: ScoredSentences, scored_on: ScoredSentences) -> dict[str, Any]:
    """Where to warn, chosen on some sentences, and the rates of that threshold on others.

    The threshold is the one with the largest difference between the share of poor translations that
    it catches and the share of others that it warns of (Youden 1950); among equals the middle one.

    Args:
        chosen_on: confidence and chrF of each sentence that chooses, [N] each.
        scored_on: the same of sentences that have no say in it.

    Returns:
        ``threshold``; of the sentences scored on: ``caught`` (share of the poor ones that are warned of),
        ``false_alarms`` (of the others), ``right`` (share of those warned of that are poor; None without a warning),
        in [0, 1]; ``sentences``, ``poor`` (how many), ``poor_below`` (chrF), and ``auc``: how often a poor translation
        has less confidence than another.

    Raises:
        ValueError: one of the two has no poor translation, or no other.
    """
    for _, chrf in (chosen_on, scored_on):
        if len(set(chrf < POOR)) < 2:
            raise ValueError("too few poor translations, or too few others, to choose a threshold or to score it")
    threshold = _threshold(chosen_on[0], chosen_on[1] < POOR)
    confidences, poor = scored_on[0], scored_on[1] < POOR
    warned = confidences < threshold
    lower = confidences[poor][:, None] < confidences[~poor]
    ties = confidences[poor][:, None] == confidences[~poor]
    return {
        "threshold": threshold,
        "caught": round(float(warned[poor].mean()), 3),
        "false_alarms": round(float(warned[~poor].mean()), 3),
        "right": round(float(poor[warned].mean()), 3) if warned.any() else None,
        "sentences": len(poor),
        "poor": int(poor.sum()),
        "poor_below": POOR,
        "auc": round(float((lower + ties / 2).mean()), 3),
    }


def _threshold(confidences: np.ndarray, poor: np.ndarray) -> float:
    below = confidences < THRESHOLDS[:, None]
    gains = below[:, poor].mean(1) - below[:, ~poor].mean(1)
    best = np.flatnonzero(gains == gains.max())
    return float(THRESHOLDS[best[len(best) // 2]])
