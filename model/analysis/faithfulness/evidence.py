"""What can be said of one written token: which source word it comes from, and whether the evidence agrees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from model.trace import Label

Finding = Literal["clear", "several", "split", "weak"]
WEAK = 0.5  # nats; where no word's deletion costs as much, the token hangs on no single word
CLEAR = 2.0  # times as much as any other word: less, and several matter
FIRST = 8  # words that the map marks most are deleted before the others …
SETTLED = 2.0  # … which are not where one of them costs so many nats, and twice as much as any other of them
# Words that stand for another one, whose source readers ask about first.
PRONOUNS = frozenset(("它", "他", "她", "它们", "他们", "她们", "it", "he", "she", "they", "him", "her", "them"))


@dataclass(frozen=True)
class Evidence:
    """The source words of one written token, by two witnesses."""

    # "weak" where deleting no word costs the token ``WEAK`` nats; else "split" where the map marks another word than
    # the dearest; else "several" where the next word costs more than a half; else "clear"
    found: Finding
    word: int  # place of the word whose deletion costs most
    cost: float  # of that, in nats
    others: tuple[int, ...]  # places of further words that cost more than half as much, dearest first
    times: float  # the cost over that of the next word; infinite where no other word costs anything
    marked: int  # place of the word that the map marks most


def evidence(costs: np.ndarray, marks: np.ndarray) -> Evidence:
    """Evidence from what deleting each source word costs the token, and how much a map marks it; [W] each.

    Raises:
        ValueError: there is no word, or there are not as many costs as marks.
    """
    if not costs.size or costs.shape != marks.shape:
        raise ValueError(f"costs and marks of the same words are needed, got {costs.shape} and {marks.shape}")
    order = np.argsort(-costs, kind="stable")
    first, cost, marked = int(order[0]), float(costs[order[0]]), int(marks.argmax())
    others = tuple(int(place) for place in order[1:] if costs[place] * CLEAR > cost)
    following = float(costs[order[1]]) if len(order) > 1 else 0.0
    found: Finding = "several" if others else "clear"
    if cost < WEAK:
        found = "weak"
    elif marked != first and marked not in others:
        found = "split"
    return Evidence(found, first, cost, others, cost / following if following > 0 else np.inf, marked)


def told_by_deletion(costs_of: Callable[[tuple[int, ...]], np.ndarray], marks: np.ndarray) -> Evidence:
    """The evidence, with as few deletions as settle it.

    Args:
        costs_of: what deleting each of some words costs the token, [W], with 0 for the others.
        marks: as ``evidence`` takes them, [W].
    """
    order = np.argsort(-marks, kind="stable").tolist()
    first, rest = (tuple(sorted(part)) for part in (order[:FIRST], order[FIRST:]))
    costs = costs_of(first)
    said = evidence(costs, marks)
    if not rest or (said.found == "clear" and said.cost >= SETTLED):
        return said
    return evidence(costs + costs_of(rest), marks)


def telling_token(tokens: Sequence[Label], log_probs: Sequence[float]) -> int | None:
    """The token to begin with: the first pronoun, else that word of which the model was least sure; None without any.

    Special tokens and punctuation do not count. ``log_probs`` may be shorter than the tokens.
    """
    known = list(zip(range(len(tokens)), tokens, log_probs, strict=False))
    words = [
        (place, label, sure)
        for place, label, sure in known
        if not label.is_special and any(map(str.isalnum, label.text.removeprefix("##")))
    ]
    for place, label, _ in words:
        if label.text.lower() in PRONOUNS:
            return place
    return min(words, key=lambda each: each[2])[0] if words else None
