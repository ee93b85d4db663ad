"""Does a translation look reliable? Hints that need no reference."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from model.attribution.labelled_map import merge_words, read, row_entropy
from model.tables import load_table
from model.trace import TracedTranslation

IGNORED = 0.2  # total attention that a source word gets
REPEATS = 3
WARNING = "warning.json"  # beside a checkpoint's weights: at which confidence to warn, and how often that is right
RATES = ("threshold", "caught", "false_alarms", "right", "bad", "bad_right")
_SAID_AGAIN = re.compile(rf"\b(\w+)(?:\W+\1\b){{{REPEATS - 1},}}", re.IGNORECASE)


@dataclass(frozen=True)
class Quality:
    """Hints about one translation (after Rikters et al. 2017, SoftAlignments).

    Attributes:
        confidence: geometric mean of the token probabilities, in [0, 1].
        entropy: entropy of the mean cross-attention of each target token over the source, in nats, [T].
        coverage: attention that each source word gets from all target tokens together, [words].
        words: the source words, in order.
        ignored: words that got less than IGNORED, punctuation left out.
    """

    confidence: float
    entropy: np.ndarray
    coverage: np.ndarray
    words: tuple[str, ...]
    ignored: tuple[str, ...]


def load_warning(checkpoint: str, sha256: str) -> tuple[dict[str, Any] | None, str]:
    """At which confidence to warn of a translation (see ``model.commands.release.warning``); or None and why."""
    return load_table(
        checkpoint, WARNING, sha256, lambda table: all(0 <= float(table[name] or 0) <= 1 for name in RATES)
    )


def quality(translation: TracedTranslation) -> Quality:
    """Hints from probabilities and from the mean of all cross-attention heads."""
    trace = translation.trace
    mean = trace.cross.mean(axis=(0, 1))
    merged = merge_words(read(mean, trace.tgt_outputs, trace.src))
    coverage, words = [], []
    share = mean.sum(axis=0)
    starts = [index for index, label in enumerate(trace.src) if _opens_word(trace.src, index)]
    for place, (start, end) in enumerate(zip(starts, [*starts[1:], len(trace.src)], strict=True)):
        if not merged.columns[place].is_special:
            coverage.append(float(share[start:end].sum()))
            words.append(merged.columns[place].text)
    ignored = tuple(
        word for word, value in zip(words, coverage, strict=True) if value < IGNORED and any(map(str.isalnum, word))
    )
    return Quality(
        confidence=float(np.exp(np.mean(translation.log_probs))),
        entropy=row_entropy(mean),
        coverage=np.array(coverage),
        words=tuple(words),
        ignored=ignored,
    )


def repeated_run(text: str, source: str = "", longest: int = 8) -> str:
    """The first run of up to ``longest`` characters that stands REPEATS times in a row; "" if none.

    Where the source itself says a word so often in a row ("Ha ha ha"), it is no loop; nor are digits: 555, 70,000.
    """
    if _SAID_AGAIN.search(source):
        return ""
    for found in re.finditer(rf"(.{{1,{longest}}}?)\1{{{REPEATS - 1},}}", text, re.DOTALL):
        if any(map(str.isalpha, found[1])) and found[0] not in source:
            return found[1]
    return ""


def _opens_word(labels: tuple[object, ...], index: int) -> bool:
    label, earlier = labels[index], labels[index - 1]
    return index == 0 or label.is_special or earlier.word != label.word  # type: ignore[attr-defined]
