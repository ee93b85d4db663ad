"""One verdict on a translation, with its reasons: what was lost, changed or repeated, and where the model was unsure.

It needs no reference. ``model.evaluation.warning`` measures how often it is right.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from model.analysis.what_if.numerals import lost_numbers
from model.analysis.what_if.quality import repeated_run
from model.trace import Label, Translation

Level = Literal["good", "doubtful", "bad"]
Cause = Literal["unfinished", "repeated", "number", "word", "low", "confidence", "token", "rare"]
BAD: frozenset[Cause] = frozenset(("unfinished", "repeated", "number", "word", "low"))  # the others make it doubtful
THRESHOLD = 0.6  # of confidence, where no table says better
LOW = 0.45  # of confidence: below, the translation is taken for wrong
UNSURE = 0.13  # probability of a token
TRACELESS = 0.35  # nats that deleting a word costs the token that it costs most
RARE_PIECES = 3
IDEOGRAPH = re.compile(r"[\u4e00-\u9fff]")
# English words that a good translation may leave out, or say in a way that hangs on no single token.
_FUNCTION = """
    a an the this that these those my your his her its our their i you he she it we they me him us them who whom
    whose which what where when why how am is are was were be been being do does did done have has had having
    will would shall should can could may might must ought need let not no nor and or but so if then than as of
    at by for with about against between into through during before after above below to from up down in out on
    off over under again further once here there all any both each few more most other some such only own same
    too very just also even still yet ever never always already much many lot one ones else however because
    since until unless while although though whether per upon within without toward towards among across around
    along behind beside besides beyond near like get gets got getting go goes going went gone come comes coming
    came make makes made making take takes took taken taking put puts give gives gave given way thing things
    something anything everything nothing someone anyone everyone nobody people well now please quite rather
    really true speaking mount mr mrs ms dr st
"""
FUNCTION_WORDS = frozenset(_FUNCTION.split())


class Deleted(Protocol):
    """What deleting each of W source words costs each of T written tokens (``leave_one_out``)."""

    @property
    def words(self) -> tuple[Label, ...]:
        """The source words."""

    @property
    def costs(self) -> np.ndarray:
        """In nats, [W, T]."""


@dataclass(frozen=True)
class Doubt:
    """One reason to doubt a translation.

    Attributes:
        cause: what kind of reason.
        what: the word, number, token or run of characters that it is about; "" where about the whole.
        became: what stands in the place of a number; "" for nothing.
        share: a probability in [0, 1], of causes that have one.
    """

    cause: Cause
    what: str = ""
    became: str = ""
    share: float = 0.0


@dataclass(frozen=True)
class Verdict:
    """What is to be thought of a translation.

    Attributes:
        confidence: geometric mean of the token probabilities, in [0, 1].
        doubts: the reasons against it, gravest first.
    """

    confidence: float
    doubts: tuple[Doubt, ...]

    @property
    def level(self) -> Level:
        """ "bad" where something is known to be wrong or nearly everything unsure, "doubtful" for lesser reasons."""
        if any(doubt.cause in BAD for doubt in self.doubts):
            return "bad"
        return "doubtful" if self.doubts else "good"


def verdict(translation: Translation, left: Deleted | None = None, threshold: float = THRESHOLD) -> Verdict:
    """The verdict on a translation.

    - "unfinished", "repeated": it ran into the limit, or into a loop that the source does not have.
    - "number": digits of the source do not stand in it (only where it is Chinese).
    - "word": deleting a content word costs no written token more than ``TRACELESS`` nats: it left no trace.
    - "low", "confidence": the geometric mean of the token probabilities lies below ``LOW``, or below the threshold.
    - "token": the model gave a written token less than ``UNSURE``.
    - "rare": a content word is spelt in ``RARE_PIECES`` pieces or more.

    Args:
        translation: a finished one.
        left: what deleting each source word costs it; without, nothing is said of words.
        threshold: of confidence.
    """
    log_probs = np.array(translation.log_probs)
    confidence = float(np.exp(log_probs.mean())) if log_probs.size else 0.0
    doubts = [] if translation.finished else [Doubt("unfinished")]
    if run := repeated_run(translation.text, translation.source):
        doubts.append(Doubt("repeated", run))
    if IDEOGRAPH.search(translation.text) or not any(map(str.isalpha, translation.text)):
        lost = lost_numbers(translation.source, translation.text)
        doubts += [Doubt("number", each.number, each.became) for each in lost]
    doubts += [Doubt("word", word) for word in traceless_words(left)] if left is not None else []
    if confidence < threshold or confidence < LOW:
        doubts.append(Doubt("low" if confidence < LOW else "confidence", share=confidence))
    doubts += _unsure_token(translation)
    doubts += [Doubt("rare", word) for word in _rare_words(translation)]
    return Verdict(confidence, tuple(doubts))


def traceless_words(left: Deleted) -> list[str]:
    """Content words of the source on which no written token hangs; one that stands there twice is left out."""
    texts = [word.text for word in left.words]
    counts = Counter(text.lower() for text in texts)
    most = left.costs.max(axis=1) if left.costs.size else np.full(len(texts), np.inf)
    return [
        text
        for text, cost in zip(texts, most.tolist(), strict=True)
        if cost < TRACELESS and _is_content(text) and counts[text.lower()] == 1
    ]


def _is_content(word: str) -> bool:
    return sum(map(str.isalpha, word)) > 2 and word.lower() not in FUNCTION_WORDS


def _unsure_token(translation: Translation) -> list[Doubt]:
    """The written word of which the model was least sure, where that is little."""
    pairs = zip(translation.tgt, translation.log_probs, strict=False)
    words = [(value, label.text) for label, value in pairs if any(map(str.isalnum, label.text))]
    if not words or (least := min(words))[0] >= np.log(UNSURE):
        return []
    return [Doubt("token", least[1].removeprefix("##"), share=float(np.exp(least[0])))]


def _rare_words(translation: Translation) -> list[str]:
    """Content words of the source that are spelt in many pieces, each once, in order."""
    pieces: dict[int, list[tuple[int, int]]] = {}
    for label in translation.src:
        if not label.is_special:
            pieces.setdefault(label.word, []).append((label.start, label.end))
    spans = [(parts[0][0], parts[-1][1]) for parts in pieces.values() if len(parts) >= RARE_PIECES]
    words = [translation.source[start:end] for start, end in spans]
    return list(dict.fromkeys(word for word in words if _is_content(word)))
