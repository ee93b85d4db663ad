"""Masks (True = may attend), sinusoidal positions, and pre-norm layers: x + dropout(sublayer(norm(x)))."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from model.own.network.attention import MultiHeadAttention
from model.own.network.config import TransformerConfig


def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    """Mask that hides padding from every query.

    Args:
        ids: token ids, [B, K].
        pad_id: the id that fills short rows.

    Returns:
        bool [B, 1, 1, K], True where the key is a real token.

    Raises:
        ValueError: a row holds nothing but padding, so that its queries could see no key at all.
    """
    mask = ids != pad_id
    if not bool(mask.any(dim=1).all()):
        raise ValueError("a row of the batch holds nothing but padding")
    return mask[:, None, None, :]


def causal_mask(size: int, device: torch.device | str | None = None) -> Tensor:
    """Mask that hides the future: query t sees keys 0…t.

    Returns:
        bool [1, 1, size, size], lower triangle (diagonal included) True.
    """
    return torch.ones(1, 1, size, size, dtype=torch.bool, device=device).tril()


def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    """Mask of the decoder's self-attention: padding mask & causal mask.

    Args:
        ids: decoder input ids, [B, T].
        pad_id: the id that fills short rows.

    Returns:
        bool [B, 1, T, T].
    """
    return padding_mask(ids, pad_id) & causal_mask(ids.shape[1], ids.device)


def angular_frequencies(d_model: int) -> Tensor:
    """Frequency of each sine-cosine pair, in radians per position: float64 [D/2].

    Pair i turns at 10000^(-2i/D) (Vaswani et al. 2017, section 3.5).
    """
    pair = torch.arange(0, d_model, 2, dtype=torch.float64)
    return torch.exp(-math.log(10000.0) * pair / d_model)


def sinusoidal_table(max_len: int, d_model: int) -> Tensor:
    """Positional encoding of every position: float32 [P, D].

    PE(p, 2i) = sin(p · ω_i) and PE(p, 2i+1) = cos(p · ω_i) (Vaswani et al. 2017, section 3.5).
    """
    angle = torch.arange(max_len, dtype=torch.float64)[:, None] * angular_frequencies(d_model)
    return torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1).float()


def rotation(offset: float, d_model: int) -> Tensor:
    """Matrix M with PE(t + offset) = M · PE(t) for every t: float64 [D, D].

    Each sine-cosine pair is turned by offset · ω_i; M does not depend on t, which is why a shift of
    position is a linear map (Vaswani et al. 2017, section 3.5).
    """
    angle = offset * angular_frequencies(d_model)
    cos, sin = angle.cos(), angle.sin()
    blocks = torch.stack((torch.stack((cos, sin), -1), torch.stack((-sin, cos), -1)), dim=-2)
    found: Tensor = torch.block_diag(*blocks)
    return found


class PositionalEncoding(nn.Module):
    """Adds the sinusoidal table to scaled embeddings."""

    table: Tensor

    def __init__(self, max_len: int, d_model: int) -> None:
        super().__init__()
        self.register_buffer("table", sinusoidal_table(max_len, d_model), persistent=False)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """x [B, T, D] plus the encoding of positions start … start + T - 1.

        Raises:
            ValueError: the sequence runs past the last position of the table.
        """
        end = start + x.shape[1]
        if end > self.table.shape[0]:
            raise ValueError(f"sequence of {end} tokens is longer than max_len {len(self.table)}")
        return x + self.table[start:end].to(x.dtype)


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

    ``seen``, where it is a list, collects of each step the queries of self- and of cross-attention, what the
    feed-forward network added, and the states that the layer gave.
    """

    self_attn: tuple[Tensor, Tensor] | None = None
    cross_attn: tuple[Tensor, Tensor] | None = None
    seen: list[tuple[Tensor, Tensor, Tensor, Tensor]] | None = None

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
