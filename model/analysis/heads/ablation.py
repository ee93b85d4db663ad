"""Importance of heads by ablation: what muting each of them costs a translation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from model.source import Source, require
from model.trace import Kind, Translation


@dataclass(frozen=True)
class Ablation:
    """One translation under a model that lacks one head, for every head."""

    before: np.ndarray  # natural log-probability of each written token under the whole model, [T]
    # by how much muting a head lowers each of them, in nats, by kind: float32 [L, H, T]; a negative number means that
    # the token becomes more probable
    costs: dict[Kind, np.ndarray]

    @property
    def importance(self) -> dict[Kind, np.ndarray]:
        """Fall of the whole translation's log-probability, in nats, by kind: float32 [L, H]."""
        return {kind: costs.sum(-1) for kind, costs in self.costs.items()}


def ablate(model: Source, translation: Translation) -> Ablation:
    """What each head is worth to a translation: the model's own, or one that was forced.

    The end counts as written where the translation was finished.

    Raises:
        EmptySentenceError, SentenceTooLongError: as ``Source.ids``.
        LacksAbilityError: the model's heads cannot be changed.
    """
    return ablate_ids(model, translation.source, translation.tgt_ids, translation.finished)


def ablate_ids(model: Source, text: str, ids: Sequence[int], finished: bool = True) -> Ablation:
    """As ``ablate``, for target ids.

    Importance is the change in log-probability when the head's output is multiplied by 0, teacher-forced
    and without training anew (Michel et al. 2019, with log-probability in place of BLEU).

    Args:
        ids: of the translation, without special tokens.
        finished: whether the end was written after them.

    Raises:
        EmptySentenceError, SentenceTooLongError, LacksAbilityError: as ``ablate``.
    """
    require(model, "gains")
    heads = model.anatomy.all_heads()
    found = model.log_probs(model.ids(text, ids, finished), [{}, *({head: 0.0} for head in heads)])
    costs = (found[:1] - found[1:]).float().cpu().numpy()
    by_kind: dict[Kind, np.ndarray] = {}
    start = 0
    for kind, sizes in model.anatomy.kinds.items():
        end = start + sizes.layers * sizes.heads
        by_kind[kind] = costs[start:end].reshape(sizes.layers, sizes.heads, -1)
        start = end
    return Ablation(found[0].float().cpu().numpy(), by_kind)
