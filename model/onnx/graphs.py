"""Our own Transformer as three graphs without hooks, whose outputs are what hooks would see: encoder, decoder, votes.

They are written anew, in tensors whose sizes may vary, since what is traced must hold no loop over a batch and no
Python state; ``model/onnx/parity.py`` holds them to the model that they were made of.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from model.own.network.attention import MultiHeadAttention
from model.own.network.layers import DecoderLayer, EncoderLayer
from model.own.network.positions import angular_frequencies
from model.own.network.transformer import Transformer
from model.own.text.vocab import EOS_ID

TensorPair = tuple[Tensor, Tensor]
HIDDEN_SCORE = -1e9  # a score that softmax makes 0


def attend(
    attention: MultiHeadAttention, x: Tensor, keys_values: TensorPair, mask: Tensor, gains: Tensor
) -> tuple[Tensor, Tensor]:
    """What ``attention(x, keys_values)`` gives, and its weights.

    Args:
        attention: whose projections are used.
        x: vectors that ask, [B, Q, D].
        keys_values: [B, H, K, d_head] each.
        mask: added to the scores, broadcastable to [B, H, Q, K]: 0, or HIDDEN_SCORE.
        gains: of the heads, [H].

    Returns:
        [B, Q, D], and weights [B, H, Q, K].
    """
    query = attention._split_heads(attention.q_proj(x))
    scores = query @ keys_values[0].transpose(-2, -1) / math.sqrt(attention.d_head)
    weights = (scores + mask).softmax(-1)
    heads = weights @ keys_values[1] * gains[:, None, None]
    return attention.out_proj(heads.transpose(1, 2).flatten(2)), weights


def embedded(rows: Tensor, places: Tensor, scale: float) -> Tensor:
    """Rows of an embedding [B, T, D], scaled, plus the encoding of their places, int64 [T].

    The sines of ``model/own/network/positions.py``, in float64 as there; a table of them would be a megabyte of a page.
    """
    angles = places.double()[:, None] * angular_frequencies(rows.shape[-1])
    waves = torch.stack((angles.sin(), (angles + math.pi / 2).sin()), -1)
    return rows * scale + waves.flatten(1).float()


class EncoderGraph(nn.Module):
    """Source ids to the keys and values that every decoder layer will look at, with the encoder's maps."""

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.encoder, self.decoder_layers = model.encoder, model.decoder.layers

    def forward(self, ids: Tensor, visible: Tensor, gains: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Keys and values of the cross-attention, [L, B, H, S, d_head] each, and weights [L, B, H, S, S].

        Args:
            ids: int64 [B, S], <eos> last.
            visible: float [B, S]: 1, or 0 for a source position that nothing may attend to.
            gains: of the encoder's heads, [L, H]; 1 changes nothing, 0 mutes.
        """
        mask = ((1.0 - visible) * HIDDEN_SCORE)[:, None, None, :]
        embedding, maps = self.encoder.embedding, []
        x = embedded(embedding.tokens(ids), torch.arange(ids.shape[1]), embedding.scale)
        for number, layer in enumerate(self.encoder.layers):
            assert isinstance(layer, EncoderLayer)
            normed = layer.self_attn_norm(x)
            added, weights = attend(layer.self_attn, normed, layer.self_attn.project(normed), mask, gains[number])
            x = x + added
            x = x + layer.feed_forward(layer.feed_forward_norm(x))
            maps.append(weights)
        memory = self.encoder.norm(x)
        pairs = [layer.cross_attn.project(memory) for layer in self.decoder_layers]  # type: ignore[union-attr,operator]
        return torch.stack([key for key, _ in pairs]), torch.stack([value for _, value in pairs]), torch.stack(maps)


class DecoderGraph(nn.Module):
    """Further target tokens, one or many, behind those whose keys and values are given."""

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.decoder = model.decoder

    def forward(
        self,
        ids: Tensor,
        past_keys: Tensor,
        past_values: Tensor,
        cross_keys: Tensor,
        cross_values: Tensor,
        visible: Tensor,
        self_gains: Tensor,
        cross_gains: Tensor,
    ) -> tuple[Tensor, ...]:
        """One pass over T tokens that follow P others.

        Args:
            ids: int64 [B, T]; <bos> is the first of a translation.
            past_keys, past_values: of the decoder's self-attention, [L, B, H, P, d_head]; P is 0 at the start.
            cross_keys, cross_values: from the encoder's graph, [L, B, H, S, d_head].
            visible: as there, [B, S].
            self_gains, cross_gains: of the decoder's heads, [L, H].

        Returns:
            logits [B, T, V]; keys and values so far, [L, B, H, P + T, d_head] each; weights of self-attention,
            [L, B, H, T, P + T], and of cross-attention, [L, B, H, T, S]; the residual stream before the last norm,
            [B, T, D]; and the rows of the embedding that the ids look up, [B, T, D].
        """
        past, new = past_keys.shape[3], ids.shape[1]
        places = torch.arange(past + new)
        causal = (places[None, :] > places[past:, None]).float() * HIDDEN_SCORE
        masks = causal, ((1.0 - visible) * HIDDEN_SCORE)[:, None, None, :]
        rows = self.decoder.embedding.tokens(ids)
        x = embedded(rows, places[past:], self.decoder.embedding.scale)
        found = []
        for number, layer in enumerate(self.decoder.layers):
            assert isinstance(layer, DecoderLayer)
            cached, looked = (past_keys[number], past_values[number]), (cross_keys[number], cross_values[number])
            x, seen = self._layer(layer, x, cached, looked, masks, (self_gains[number], cross_gains[number]))
            found.append(seen)
        logits = self.decoder.norm(x) @ self.decoder.embedding.tokens.weight.t()
        return logits, *(torch.stack(tensors) for tensors in zip(*found, strict=True)), x, rows

    def _layer(
        self,
        layer: DecoderLayer,
        x: Tensor,
        cached: TensorPair,
        looked: TensorPair,
        masks: TensorPair,
        gains: TensorPair,
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """What leaves a layer; and its keys, values, and weights of self- and cross-attention."""
        normed = layer.self_attn_norm(x)
        new_key, new_value = layer.self_attn.project(normed)
        key, value = torch.cat((cached[0], new_key), 2), torch.cat((cached[1], new_value), 2)
        added, own = attend(layer.self_attn, normed, (key, value), masks[0], gains[0])
        x = x + added
        added, cross = attend(layer.cross_attn, layer.cross_attn_norm(x), looked, masks[1], gains[1])
        x = x + added
        return x + layer.feed_forward(layer.feed_forward_norm(x)), (key, value, own, cross)


class VotesGraph(nn.Module):
    """What each head brings from each key into the written token's logit; see ``model/attribution/votes.py``."""

    mean: Tensor
    end: Tensor
    self_out: Tensor
    cross_out: Tensor

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.norm, table = model.decoder.norm, model.decoder.embedding.tokens.weight.detach()
        self.eps = self.norm.eps
        self.register_buffer("mean", table.double().mean(0).float())
        self.register_buffer("end", table[EOS_ID : EOS_ID + 1].clone())
        for kind in ("self", "cross"):
            weights = [getattr(layer, f"{kind}_attn").out_proj.weight.detach() for layer in model.decoder.layers]
            self.register_buffer(f"{kind}_out", torch.stack(weights))  # [L, D, H · d_head]

    def forward(
        self,
        states: Tensor,
        rows: Tensor,
        self_weights: Tensor,
        cross_weights: Tensor,
        self_values: Tensor,
        cross_values: Tensor,
        self_gains: Tensor,
        cross_gains: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Votes of one translation in logits: [L, H, T, T] and [L, H, T, S].

        Args:
            states: the residual stream before the last norm, [T, D].
            rows: of the embedding, [T - 1, D]: of what each step writes but the last, which writes <eos>.
            self_weights, cross_weights: [L, H, T, T] and [L, H, T, S].
            self_values, cross_values: [L, H, T, d_head] and [L, H, S, d_head].
            self_gains, cross_gains: with which they were made, [L, H].
        """
        wanted = (torch.cat((rows, self.end)) - self.mean) * self.norm.weight
        centred = states - states.mean(-1, keepdim=True)
        rate = torch.rsqrt((centred * centred).mean(-1, keepdim=True) + self.eps)
        directions = (wanted - wanted.mean(-1, keepdim=True)) * rate  # [T, D]
        own = _votes(directions @ self.self_out, self_values) * self_weights * self_gains[:, :, None, None]
        cross = _votes(directions @ self.cross_out, cross_values) * cross_weights * cross_gains[:, :, None, None]
        return own, cross


def _votes(towards: Tensor, values: Tensor) -> Tensor:
    """What a key's value is worth along each step's direction: [L, T, H · d_head], [L, H, K, d_head] → [L, H, T, K]."""
    heads = towards.unflatten(-1, (values.shape[1], values.shape[3])).transpose(1, 2)
    return heads @ values.transpose(-2, -1)
