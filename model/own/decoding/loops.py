"""A phrase that follows itself again and again: the way in which a translation never ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import torch
from torch import Tensor

COPIES = 3  # so often a phrase may stand in a row …
TOKENS = 8  # … and so many tokens its copies may take together, whichever is longer
LONGEST = 20  # tokens of a phrase that is looked for
MOST = 6  # times that the same three tokens may stand anywhere in a translation: loops with small changes


def looping(ids: Sequence[int]) -> set[int]:
    """The tokens that would begin one copy too many of a phrase that ``ids`` end with, or end the same three once more.

    >>> looping([5, 7, 8, 9, 7, 8, 9, 7, 8, 9])
    {7}
    >>> looping([7, 8, 9, 7, 8, 9])
    set()
    """
    found = set()
    for size in range(1, min(LONGEST, len(ids) // COPIES) + 1):
        copies = max(COPIES, -(-TOKENS // size))
        phrase = list(ids[-size:])
        if len(ids) >= copies * size and list(ids[-copies * size :]) == phrase * copies:
            found.add(phrase[0])
    triples = Counter(zip(ids, ids[1:], ids[2:], strict=False))
    return found | {triple[2] for triple, count in triples.items() if count >= MOST and triple[:2] == tuple(ids[-2:])}


def without_loops(log_p: Tensor, written: Sequence[Sequence[int]]) -> Tensor:
    """Log-probabilities [B, V] with the tokens at −∞ that would go on with a loop; ``written`` are each row's ids.

    What is left is not renormalised: a probability stays what the model gave.
    """
    banned = [(row, token) for row, ids in enumerate(written) for token in looping(ids)]
    if not banned:
        return log_p
    rows, tokens = (torch.tensor(each, device=log_p.device) for each in zip(*banned, strict=True))
    return log_p.index_put((rows, tokens), torch.tensor(-torch.inf, device=log_p.device))
