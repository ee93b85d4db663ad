"""Multi-head scaled dot-product attention (Vaswani et al. 2017, section 3.2)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """softmax(Q Kᵀ / √d_head) V in ``n_heads`` subspaces, joined by an output projection.

    Every ``*_hook`` is an identity: a forward hook on it sees a value, and may replace it. While any
    of them is watched the steps are taken one by one; otherwise one fused kernel does the same.
    """

    HOOKS = ("query_hook", "key_hook", "value_hook", "scores_hook", "masked_scores_hook", "weights_hook", "heads_hook")

    def __init__(self, d_model: int, n_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.n_heads, self.d_head, self.dropout = n_heads, d_model // n_heads, dropout
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.query_hook, self.key_hook, self.value_hook = nn.Identity(), nn.Identity(), nn.Identity()
        self.scores_hook, self.masked_scores_hook = nn.Identity(), nn.Identity()
        self.weights_hook, self.heads_hook = nn.Identity(), nn.Identity()

    def forward(self, x: Tensor, keys_values: tuple[Tensor, Tensor], mask: Tensor | None = None) -> Tensor:
        """What each query gathers from the keys it attends to.

        Args:
            x: vectors that ask, [B, Q, D].
            keys_values: from ``project``: keys and values, [B, H, K, d_head] each.
            mask: bool, broadcastable to [B, 1, Q, K], True = may attend; None hides nothing.

        Returns:
            [B, Q, D].
        """
        query = self._split_heads(self.q_proj(x))
        # On a CPU the fused kernel's backward takes longer than all the rest of a training step.
        stepwise = self.is_watched or (self.training and x.device.type == "cpu")
        attend = self._attend_stepwise if stepwise else self._attend_fused
        heads = attend(query, *keys_values, mask)
        found: Tensor = self.out_proj(heads.transpose(1, 2).flatten(2))
        return found

    def project(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of the vectors that can be attended to: [B, K, D] → 2 × [B, H, K, d_head]."""
        return self._split_heads(self.k_proj(memory)), self._split_heads(self.v_proj(memory))

    def weigh(self, query: Tensor, key: Tensor, mask: Tensor | None = None) -> Tensor:
        """How much each query attends to each key: [B, H, Q, d_head], [B, H, K, d_head] → [B, H, Q, K]."""
        scores = self.scores_hook(query @ key.transpose(-2, -1) / math.sqrt(self.d_head))
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        found: Tensor = self.weights_hook(self.masked_scores_hook(scores).softmax(dim=-1))
        return found

    @property
    def is_watched(self) -> bool:
        """True while a forward hook sits on one of the hook points."""
        return any(getattr(self, name)._forward_hooks for name in self.HOOKS)

    def _attend_stepwise(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        query, key, value = self.query_hook(query), self.key_hook(key), self.value_hook(value)
        weights = F.dropout(self.weigh(query, key, mask), self.dropout, self.training)
        found: Tensor = self.heads_hook(weights @ value)  # [B, H, Q, d_head]
        return found

    def _attend_fused(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        dropout = self.dropout if self.training else 0.0
        return F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout)

    def _split_heads(self, x: Tensor) -> Tensor:
        found: Tensor = x.unflatten(-1, (self.n_heads, self.d_head)).transpose(1, 2)  # [B, T, D] → [B, H, T, d_head]
        return found
