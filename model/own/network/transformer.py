"""The encoder-decoder Transformer (Vaswani et al. 2017), pre-norm."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from model.own.network.config import TransformerConfig
from model.own.network.layers import (
    DecoderLayer,
    Dropout,
    EncoderLayer,
    LayerCache,
    PositionalEncoding,
    decoder_mask,
    padding_mask,
)
from model.own.text.vocab import PAD_ID


class Embedding(nn.Module):
    """Token embedding scaled by √d_model, plus positions, then dropout."""

    def __init__(self, vocab_size: int, config: TransformerConfig) -> None:
        super().__init__()
        self.scale = math.sqrt(config.d_model)
        self.tokens = nn.Embedding(vocab_size, config.d_model, padding_idx=PAD_ID)
        self.positions = PositionalEncoding(config.max_len, config.d_model)
        self.dropout = Dropout(config.dropout)

    def forward(self, ids: Tensor, start: int = 0) -> Tensor:
        """ids [B, T] at positions start … → [B, T, D]."""
        found: Tensor = self.dropout(self.positions(self.tokens(ids) * self.scale, start))
        return found


class Encoder(nn.Module):
    """A stack of encoder layers and a final norm."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.embedding = Embedding(config.src_vocab_size, config)
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.n_encoder_layers))
        self.norm = nn.LayerNorm(config.d_model)

    def forward(self, src_ids: Tensor, src_mask: Tensor | None) -> Tensor:
        """The memory: src_ids [B, S] → [B, S, D]."""
        x = self.embedding(src_ids)
        for layer in self.layers:
            x = layer(x, src_mask)
        found: Tensor = self.norm(x)
        return found


class Decoder(nn.Module):
    """A stack of decoder layers and a final norm."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.embedding = Embedding(config.tgt_vocab_size, config)
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.n_decoder_layers))
        self.norm = nn.LayerNorm(config.d_model)

    def forward(
        self,
        tgt_ids: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None,
        src_mask: Tensor | None,
        cache: Sequence[LayerCache] | None = None,
    ) -> Tensor:
        """Decoder states: tgt_ids [B, T] → [B, T, D]; with a cache, of the tokens not yet in it."""
        start = 0
        if cache is not None and cache[0].self_attn is not None:
            start = cache[0].self_attn[0].shape[2]
        x = self.embedding(tgt_ids, start)
        for number, layer in enumerate(self.layers):
            x = layer(x, memory, tgt_mask, src_mask, None if cache is None else cache[number])
        found: Tensor = self.norm(x)
        return found


class Transformer(nn.Module):
    """Encoder, decoder, and an output projection tied with the target embedding."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        self._initialise()

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        """Teacher-forced logits.

        Args:
            src_ids: [B, S], padded with pad_id.
            tgt_ids: decoder inputs, <bos> first, [B, T], padded with pad_id.

        Returns:
            [B, T, tgt_vocab_size]; row t predicts token t + 1.
        """
        return self.project(self.decode(tgt_ids, self.encode(src_ids), src_ids))

    def encode(self, src_ids: Tensor) -> Tensor:
        """The memory: [B, S] → [B, S, D]."""
        found: Tensor = self.encoder(src_ids, padding_mask(src_ids, PAD_ID))
        return found

    def decode(self, tgt_ids: Tensor, memory: Tensor, src_ids: Tensor) -> Tensor:
        """Decoder states of a whole, teacher-forced target: [B, T] → [B, T, D]."""
        found: Tensor = self.decoder(tgt_ids, memory, decoder_mask(tgt_ids, PAD_ID), padding_mask(src_ids, PAD_ID))
        return found

    def project(self, states: Tensor) -> Tensor:
        """Logits over the target vocabulary: [..., D] → [..., tgt_vocab_size]."""
        return nn.functional.linear(states, self.decoder.embedding.tokens.weight)

    def new_cache(self) -> list[LayerCache]:
        """An empty key-value cache, one entry a decoder layer."""
        return [LayerCache() for _ in self.decoder.layers]

    @torch.no_grad()
    def _initialise(self) -> None:
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
        for embedding in (self.encoder.embedding, self.decoder.embedding):
            nn.init.normal_(embedding.tokens.weight, std=self.config.d_model**-0.5)
            embedding.tokens.weight[PAD_ID].zero_()
