"""Going through the sentence pairs of a corpus, leaving out those that the model cannot read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from model.errors import CorpusError, HeadlightError

Pair = TypeVar("Pair")


def score_pairs(
    pairs: Iterable[Pair], score: Callable[[Pair], object], progress: Callable[[int], object] = lambda _: None
) -> dict[int, str]:
    """Score every pair; why a pair was left out, by its number, counted from 1.

    Args:
        pairs: of a corpus.
        score: what is done with a pair; a ``HeadlightError`` leaves it out.
        progress: called with the number of pairs done.

    Raises:
        CorpusError: no pair could be scored; the sentence says why the first could not.
    """
    refused, number = {}, 0
    for number, pair in enumerate(pairs, 1):
        try:
            score(pair)
        except HeadlightError as error:
            refused[number] = str(error)
        progress(number)
    if len(refused) == number:
        raise CorpusError(
            f"no sentence pair could be scored; the first: {next(iter(refused.values()), 'there is none')}"
        )
    return refused
