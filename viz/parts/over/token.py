"""The token that is looked at, in every view."""

from __future__ import annotations

from collections.abc import Sequence

from model.trace import Label
from viz.state.view import chosen_token


def looked_at(outputs: Sequence[Label]) -> int:
    """The place of the chosen one among written tokens; where none is chosen, of the word nearest to the middle."""
    chosen = chosen_token(len(outputs))
    return middle_word(outputs) if chosen is None else chosen


def middle_word(labels: Sequence[Label]) -> int:
    """The place of the word nearest to the middle; 0 where there is none.

    >>> middle_word([Label("a"), Label(","), Label("b"), Label("c"), Label(".")])
    2
    """
    words = [at for at, label in enumerate(labels) if label.text.isalnum()]
    return min(words or [0], key=lambda at: abs(at - len(labels) // 2))
