"""One step of beam search."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from model.writing import Expansion, Hypothesis


def only(log_p: Tensor, token: int) -> Tensor:
    """The log-probabilities with every token but one at −∞: [N, V]."""
    forced = torch.full_like(log_p, -math.inf)
    forced[:, token] = log_p[:, token]
    return forced


def expand(growing: Sequence[Hypothesis], log_p: Tensor, beam: int, end_id: int) -> Expansion:
    """The 2 × ``beam`` best continuations of N hypotheses; ``log_p`` [N, V]."""
    totals = torch.tensor([h.log_prob for h in growing], device=log_p.device)[:, None] + log_p
    scores, places = totals.flatten().topk(min(2 * beam, totals.numel()))
    step = Expansion([], [], [], [])
    for score, place in zip(scores.tolist(), places.tolist(), strict=True):
        row, token = divmod(place, log_p.shape[1])
        if score == -math.inf:
            continue
        parent, log_probs = growing[row], (*growing[row].log_probs, float(log_p[row, token]))
        if token == end_id:
            step.ended.append(Hypothesis(parent.ids, log_probs, finished=True))
        elif len(step.kept) < beam:
            step.kept.append(Hypothesis((*parent.ids, token), log_probs, finished=False))
            step.rows.append(row)
        else:
            step.dropped.append(Hypothesis((*parent.ids, token), log_probs, finished=False))
    return step
