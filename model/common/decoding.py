"""Drawing the next token instead of taking the most probable one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from model.writing import Expansion, Hypothesis, Sampling


class Sampler:
    """Draws one token a row, with its own random generator."""

    def __init__(self, settings: Sampling) -> None:
        self.settings = settings
        self._generator = torch.Generator().manual_seed(settings.seed)

    def __call__(self, log_probs: Tensor) -> Tensor:
        """Token ids [B], sampled from log-probabilities [B, V]."""
        probabilities = filtered(log_probs.cpu(), self.settings)
        return torch.multinomial(probabilities, 1, generator=self._generator)[:, 0].to(log_probs.device)


def filtered(log_probs: Tensor, settings: Sampling) -> Tensor:
    """The distribution that is sampled from: log-probabilities [B, V] → probabilities [B, V].

    Temperature first, then top-k, then top-p; what is left is renormalised. The most probable token
    always stays.
    """
    probabilities = (log_probs.float() / settings.temperature).softmax(-1)
    if settings.top_k:
        kth = probabilities.topk(min(settings.top_k, probabilities.shape[-1]), dim=-1).values[:, -1:]
        probabilities = probabilities.where(probabilities >= kth, 0.0)
        probabilities = probabilities / probabilities.sum(-1, keepdim=True)
    if settings.top_p < 1:
        ordered, order = probabilities.sort(dim=-1, descending=True)
        before = ordered.cumsum(-1) - ordered
        kept = ordered.where(before < settings.top_p, 0.0)
        probabilities = torch.zeros_like(probabilities).scatter(-1, order, kept)
    return probabilities / probabilities.sum(-1, keepdim=True)


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
