"""Translations of one sentence, put into words and numbers for a comparison."""

from __future__ import annotations

import math
from collections.abc import Sequence

from model.trace import Translation
from viz.charts.versions import Version
from viz.core.language import say
from viz.core.numbers import number


def compared(titles: Sequence[str], translations: Sequence[Translation]) -> list[Version]:
    """Translations as rows; where each first differs from the first one is marked, of two in both."""
    first = translations[0]
    rows = []
    for place, (title, each) in enumerate(zip(titles, translations, strict=True)):
        rival = translations[1] if place == 0 and len(translations) == 2 else first
        rows.append(Version(title, each.text, first_difference(each, rival), numbers(each)))
    return rows


def first_difference(one: Translation, other: Translation) -> tuple[int, int] | None:
    """Character span of the first token of ``one`` that ``other`` does not have there; None where there is none.

    Where ``one`` has ended by then, it is the empty span at its end.
    """
    if one.tgt_ids == other.tgt_ids:
        return None
    pairs = enumerate(zip(one.tgt_ids, other.tgt_ids, strict=False))
    place = next((place for place, (mine, theirs) in pairs if mine != theirs), min(len(one.tgt), len(other.tgt)))
    if place >= len(one.tgt):
        return len(one.text), len(one.text)
    return one.tgt[place].start, one.tgt[place].end


def numbers(translation: Translation) -> str:
    """Log-probability of a translation, the (geometric) mean probability of its tokens, and how many they are."""
    total = sum(translation.log_probs)
    mean = math.exp(total / max(1, len(translation.log_probs)))
    return say("versions.numbers", total=number(total), percent=f"{100 * mean:.0f}", tokens=len(translation.tgt))
