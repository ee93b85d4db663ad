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


def warning(confidences: np.ndarray, chrf: np.ndarray) -> dict[str, Any]:
    """Where to warn, and the rates of that: chosen on one half of the sentences and scored on the other, both ways.

    The threshold is the one with the largest difference between the share of poor translations that
    it catches and the share of others that it warns of (Youden 1950); among equals the middle one.

    Args:
        confidences, chrf: of each sentence, [N].

    Returns:
        ``threshold`` (of all sentences), ``caught`` and ``false_alarms`` (shares in [0, 1] on the half
        that did not choose), ``sentences``, ``poor`` (how many), ``poor_below`` (chrF), and ``auc``: how
        often a poor translation has less confidence than another.

    Raises:
        ValueError: one half has no poor translation, or no other.
    """
    poor = chrf < POOR
    halves = [np.arange(len(poor)) % 2 == half for half in (0, 1)]
    if any(len(set(poor[half])) < 2 for half in halves):
        raise ValueError("too few poor translations, or too few others, to choose a threshold")
    warned = np.zeros(len(poor), dtype=bool)
    for half, other in (halves, halves[::-1]):
        warned[other] = confidences[other] < _threshold(confidences[half], poor[half])
    lower = confidences[poor][:, None] < confidences[~poor]
    ties = confidences[poor][:, None] == confidences[~poor]
    return {
        "threshold": _threshold(confidences, poor),
        "caught": round(float(warned[poor].mean()), 3),
        "false_alarms": round(float(warned[~poor].mean()), 3),
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
