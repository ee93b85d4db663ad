"""Pre-norm encoder and decoder layers: x + dropout(sublayer(norm(x)))."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from model.own.network.attention import MultiHeadAttention
from model.own.network.config import TransformerConfig


class Dropout(nn.Module):
    """Inverted dropout; on a CPU the mask comes from random bytes, which is several times faster.

    There the rate is rounded to a multiple of 1/256, and the kept values are scaled to match.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        """x with a share ``rate`` of its elements zeroed while training, else x itself."""
        if not self.training or self.rate == 0:
            return x
        if x.device.type != "cpu":
            return F.dropout(x, self.rate)
        threshold = round(self.rate * 256)
        words = torch.randint(-(2**63), 2**63 - 1, (x.numel() // 8 + 1,), dtype=torch.int64)
        keep = words.view(torch.uint8)[: x.numel()].view(x.shape) >= threshold
        return x * (keep * (256 / (256 - threshold)))


class FeedForward(nn.Module):
    """Position-wise feed-forward network: Linear, ReLU, Linear."""

    def __init__(self, d_model: int, d_ff: int, dropout: float) -> None:
        super().__init__()
        self.up_proj = nn.Linear(d_model, d_ff)
        self.down_proj = nn.Linear(d_ff, d_model)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """[B, T, D] → [B, T, D]."""
        found: Tensor = self.down_proj(self.dropout(F.relu(self.up_proj(x))))
        return found


@dataclass
class LayerCache:
    """Keys and values that one decoder layer has already computed, [B, H, K, d_head] each.

    ``queries``, where it is a list, collects those of each step, of self- and of cross-attention.
    """

    self_attn: tuple[Tensor, Tensor] | None = None
    cross_attn: tuple[Tensor, Tensor] | None = None
    queries: list[tuple[Tensor, Tensor]] | None = None

    def append(self, keys_values: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        """The self-attention keys and values so far, the new ones added at the end."""
        if self.self_attn is not None:
            old_key, old_value = self.self_attn
            keys_values = torch.cat((old_key, keys_values[0]), 2), torch.cat((old_value, keys_values[1]), 2)
        self.self_attn = keys_values
        return keys_values

    def select(self, rows: Tensor) -> None:
        """Reorder (or drop) the sentences of the batch, as beam search does."""
        if self.self_attn is not None:
            self.self_attn = self.self_attn[0][rows], self.self_attn[1][rows]
        if self.cross_attn is not None:
            self.cross_attn = self.cross_attn[0][rows], self.cross_attn[1][rows]


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, each behind its own norm."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.self_attn_norm = nn.LayerNorm(config.d_model)
        self.self_attn = MultiHeadAttention(config.d_model, config.n_heads, config.attention_dropout)
        self.feed_forward_norm = nn.LayerNorm(config.d_model)
        self.feed_forward = FeedForward(config.d_model, config.d_ff, config.dropout)
        self.dropout = Dropout(config.dropout)

    def forward(self, x: Tensor, src_mask: Tensor | None) -> Tensor:
        """[B, S, D] → [B, S, D]; src_mask [B, 1, 1, S]."""
        normed = self.self_attn_norm(x)
        x = x + self.dropout(self.self_attn(normed, self.self_attn.project(normed), src_mask))
        found: Tensor = x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        return found


class DecoderLayer(nn.Module):
    """Causal self-attention, cross-attention to the memory, then feed-forward."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.self_attn_norm = nn.LayerNorm(config.d_model)
        self.self_attn = MultiHeadAttention(config.d_model, config.n_heads, config.attention_dropout)
        self.cross_attn_norm = nn.LayerNorm(config.d_model)
        self.cross_attn = MultiHeadAttention(config.d_model, config.n_heads, config.attention_dropout)
        self.feed_forward_norm = nn.LayerNorm(config.d_model)
        self.feed_forward = FeedForward(config.d_model, config.d_ff, config.dropout)
        self.dropout = Dropout(config.dropout)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None,
        src_mask: Tensor | None,
        cache: LayerCache | None = None,
    ) -> Tensor:
        """[B, T, D] → [B, T, D].

        Args:
            x: decoder states, [B, T, D]; with a cache only the tokens not yet in it.
            memory: encoder output, [B, S, D].
            tgt_mask: [B, 1, T, T], or None when every cached key may be attended to.
            src_mask: [B, 1, 1, S].
            cache: keys and values of earlier tokens; grows by T.
        """
        normed = self.self_attn_norm(x)
        keys_values = self.self_attn.project(normed)
        if cache is not None:
            keys_values = cache.append(keys_values)
        x = x + self.dropout(self.self_attn(normed, keys_values, tgt_mask))
        x = x + self.dropout(self.cross_attn(self.cross_attn_norm(x), self._memory_keys(memory, cache), src_mask))
        found: Tensor = x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        return found

    def _memory_keys(self, memory: Tensor, cache: LayerCache | None) -> tuple[Tensor, Tensor]:
        if cache is None:
            return self.cross_attn.project(memory)
        if cache.cross_attn is None:
            cache.cross_attn = self.cross_attn.project(memory)
        return cache.cross_attn
