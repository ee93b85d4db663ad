"""Our own Transformer without some source positions, many rows at once; what rows share is computed once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from model.own.branches import written_log_probs
from model.own.network.layers import DecoderLayer
from model.own.network.masks import causal_mask
from model.own.network.transformer import Transformer
from model.own.text.vocab import PAD_ID
from model.passage import ForcedIds
from model.source import Way

TOKENS_AT_ONCE = 1024  # of the source and the target together that are in memory at once
SHORTENED: tuple[Way, ...] = ("mask", "remove")  # what is deleted has no part in anything, so it is left out


@dataclass(frozen=True)
class _Read:
    """What the encoder makes of some rows: memory [N or 1, S', D], its mask [N, 1, 1, S'], and values to silence."""

    memory: Tensor
    mask: Tensor | None = None
    silent: Tensor | None = None


def log_probs_without(model: Transformer, ids: ForcedIds, deleted: np.ndarray, way: Way) -> Tensor:
    """Natural log-probability of each written token, [N, T], for each row of deleted source positions, bool [N, S].

    ==========  ===============================================================================
    mask        nothing attends to them; the others keep their positions
    remove      the source is read without them: those behind move up
    average     their embedding is the mean of the table's; positions and attention as ever
    silence     their values in every cross-attention layer are 0; the encoder reads them
    ==========  ===============================================================================
    """
    if not ids.steps:
        return torch.zeros(len(deleted), 0, device=ids.src.device)
    kept = torch.from_numpy(~deleted).to(ids.src.device)
    sizes = kept.sum(1) if way in SHORTENED else torch.full_like(kept[:, 0], kept.shape[1], dtype=torch.long)
    order = sizes.argsort(stable=True)  # rows of a length go together
    rows = max(1, TOKENS_AT_ONCE // (ids.src.shape[1] + ids.steps))
    found = torch.cat([_of_rows(model, ids, kept[part], way) for part in order.split(rows)])
    return torch.empty_like(found).index_copy_(0, order, found)


def _of_rows(model: Transformer, ids: ForcedIds, kept: Tensor, way: Way) -> Tensor:
    if way == "silence":
        read = _Read(_memory(model, model.encoder.embedding(ids.src), None), silent=~kept)
    elif way == "average":
        own, mean = model.encoder.embedding(ids.src), _mean_embedding(model, ids.src)
        read = _Read(_memory(model, torch.where(kept[..., None], own, mean), None))
    else:
        read = _shortened(model, ids.src, kept, moving_up=way == "remove")
    return written_log_probs(model, _states(model, ids, read, len(kept)), ids.written[: ids.steps])


def _shortened(model: Transformer, src: Tensor, kept: Tensor, moving_up: bool) -> _Read:
    """The source read from what is kept alone; shorter rows are filled up and their end hidden."""
    sizes = kept.sum(1)
    places = (~kept).int().argsort(dim=1, stable=True)[:, : int(sizes.max())]  # [N, S'], those that are kept first
    mask = (torch.arange(places.shape[1], device=src.device) < sizes[:, None])[:, None, None]
    vectors = model.encoder.embedding(src[0, places]) if moving_up else model.encoder.embedding(src)[0, places]
    return _Read(_memory(model, vectors, mask), mask)


def _memory(model: Transformer, x: Tensor, mask: Tensor | None) -> Tensor:
    """The encoder's output for embedded tokens: [N, S, D]."""
    for layer in model.encoder.layers:
        x = layer(x, mask)
    return model.encoder.norm(x)


def _states(model: Transformer, ids: ForcedIds, read: _Read, rows: int) -> Tensor:
    """Decoder states [N, T, D]; until it looks at the source for the first time, all rows are one."""
    x = model.decoder.embedding(ids.inputs[:, : ids.steps])
    causal = causal_mask(x.shape[1], x.device)
    for layer in model.decoder.layers:
        assert isinstance(layer, DecoderLayer)
        normed = layer.self_attn_norm(x)
        x = (x + layer.self_attn(normed, layer.self_attn.project(normed), causal)).expand(rows, -1, -1)
        key, value = layer.cross_attn.project(read.memory)
        if read.silent is not None:
            value = value.masked_fill(read.silent[:, None, :, None], 0.0)
        keys_values = key.expand(rows, -1, -1, -1), value
        x = x + layer.cross_attn(layer.cross_attn_norm(x), keys_values, read.mask)
        x = x + layer.feed_forward(layer.feed_forward_norm(x))
    return model.decoder.norm(x)


def _mean_embedding(model: Transformer, src: Tensor) -> Tensor:
    """Every position with the mean of the table's tokens: [1, S, D]."""
    embedding = model.encoder.embedding
    real = torch.arange(len(embedding.tokens.weight), device=src.device) != PAD_ID
    mean = embedding.tokens.weight[real].mean(0)
    every: Tensor = embedding.positions((mean * embedding.scale).expand(1, src.shape[1], -1))
    return every
