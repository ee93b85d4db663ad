"""How rare words are, as far as a vocabulary knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from model.writing import Token


def source_rarity(tokens: Sequence[Token]) -> np.ndarray:
    """How rare the word of each source token is, int [S] with <eos>, which counts as commonest; larger is rarer.

    A checkpoint keeps no counts of words, but its vocabulary keeps an order: pieces were merged most
    frequent first, so that a word in more pieces is rarer than one in fewer, and of two with equally many
    the one whose last-merged piece came later.
    """
    pieces = Counter(token.word for token in tokens)
    latest = {word: max(token.id for token in tokens if token.word == word) for word in pieces}
    order = {word: rank for rank, word in enumerate(sorted(pieces, key=lambda w: (pieces[w], latest[w])), 1)}
    same = {(pieces[word], latest[word]): order[word] for word in sorted(pieces, key=order.__getitem__)}
    return np.array([*(same[pieces[token.word], latest[token.word]] for token in tokens), 0])
