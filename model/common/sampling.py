"""Drawing the next token instead of taking the most probable one."""

from __future__ import annotations

import torch
from torch import Tensor

from model.writing import Sampling


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
