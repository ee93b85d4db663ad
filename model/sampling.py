"""Drawing the next token instead of taking the most probable one."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Sampling:
    """Settings of a seeded draw.

    Attributes:
        temperature: divides the logits; below 1 sharpens, above 1 flattens.
        top_k: only the k most probable tokens can be drawn; 0 turns this off.
        top_p: only the smallest set of tokens whose probabilities reach top_p can be drawn (nucleus
            sampling, Holtzman et al. 2020); 1 turns this off.
        seed: the same seed draws the same tokens.

    Raises:
        ValueError: a setting is out of range.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.temperature <= 0:
            raise ValueError(f"temperature must be above 0, got {self.temperature}")
        if self.top_k < 0:
            raise ValueError(f"top_k must be 0 or more, got {self.top_k}")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p must be in (0, 1], got {self.top_p}")


class Sampler:
    """Draws one token a row, with its own random generator."""

    def __init__(self, settings: Sampling) -> None:
        self.settings = settings
        self._generator = torch.Generator().manual_seed(settings.seed)

    def __call__(self, log_probs: Tensor) -> Tensor:
        """Token ids [B], drawn from log-probabilities [B, V]."""
        probabilities = filtered(log_probs.cpu(), self.settings)
        return torch.multinomial(probabilities, 1, generator=self._generator)[:, 0].to(log_probs.device)


def filtered(log_probs: Tensor, settings: Sampling) -> Tensor:
    """The distribution that is drawn from: log-probabilities [B, V] → probabilities [B, V].

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
