"""Many changed models in one batch: each row leaves the unchanged model at the first layer whose heads it changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from model.own.capture import HEADS_OUT, check_heads, hook_name
from model.own.network.layers import DecoderLayer, LayerCache, causal_mask
from model.own.network.transformer import Transformer
from model.own.text.vocab import PAD_ID
from model.passage import ForcedIds
from model.source import Gains, Way
from model.trace import Kind

LOGITS_AT_ONCE = 1024  # rows of the vocabulary-wide projection that are in memory together
Place = tuple[int, int]  # side (0 the encoder, 1 the decoder), layer
_KINDS: tuple[tuple[Kind, ...], ...] = (("encoder_self",), ("decoder_self", "cross"))


def branched_log_probs(model: Transformer, ids: ForcedIds, gains: Sequence[Gains]) -> Tensor:
    """Natural log-probability of each written token, [N, T], under N models with changed heads.

    What lies below the first changed layer of a row is the same for all rows, and computed once: the
    batch begins with the unchanged model alone and grows layer by layer.

    Raises:
        ValueError: a head does not exist.
    """
    if not ids.steps:
        return torch.zeros(len(gains), 0, device=ids.src.device)
    states, rows = _states(model, ids, ids.steps, gains)
    return written_log_probs(model, states, ids.written[: ids.steps])[rows]


def branched_logits(model: Transformer, ids: ForcedIds, step: int, gains: Sequence[Gains]) -> Tensor:
    """As ``Source.step_logits``."""
    if not 0 <= step < ids.steps:
        raise IndexError(f"there is no step {step} of {ids.steps}")
    states, rows = _states(model, ids, step + 1, gains)
    return model.project(states[:, -1]).float()[rows]


def _states(model: Transformer, ids: ForcedIds, steps: int, gains: Sequence[Gains]) -> tuple[Tensor, list[int]]:
    """Decoder states of the first steps under each different model, [R, steps, D], and which of them each row has."""
    for each in gains:
        check_heads(model, each)
    firsts = [_first_change(each) for each in gains]
    changed = [row for row in range(len(gains)) if firsts[row] is not None]
    order = sorted(changed, key=lambda row: firsts[row] or (0, 0))
    batch = _Batch(model, [gains[row] for row in order], [firsts[row] or (0, 0) for row in order])
    states = batch.states(ids.inputs[:, :steps], batch.memory(ids.src))
    places = dict(zip(order, range(1, len(order) + 1), strict=True))
    return states, [places.get(row, 0) for row in range(len(gains))]


class _Batch:
    """Row 0 is the unchanged model; the others join it at the layer that changes them, in order."""

    def __init__(self, model: Transformer, gains: Sequence[Gains], firsts: Sequence[Place]) -> None:
        self.model, self.gains, self.firsts = model, gains, firsts

    def memory(self, src_ids: Tensor) -> Tensor:
        """Encoder output of the unchanged model and of every row that changes the encoder: [1 + R, S, D]."""
        x = self.model.encoder.embedding(src_ids)
        for number, layer in enumerate(self.model.encoder.layers):
            x = grown(x, self._joined((0, number)))
            with self._scaled((0, number)):
                x = layer(x, None)
        found: Tensor = self.model.encoder.norm(x)
        return found

    def states(self, inputs: Tensor, memory: Tensor) -> Tensor:
        """Decoder states of all rows: [1 + R, T, D]."""
        x = self.model.decoder.embedding(inputs).expand(len(memory), -1, -1)
        mask = causal_mask(inputs.shape[1], inputs.device)
        for number, layer in enumerate(self.model.decoder.layers):
            assert isinstance(layer, DecoderLayer)
            x = grown(x, self._joined((1, number)))
            key, value = layer.cross_attn.project(memory)
            with self._scaled((1, number)):
                x = layer(x, memory, mask, None, LayerCache(cross_attn=(grown(key, len(x)), grown(value, len(x)))))
        found: Tensor = self.model.decoder.norm(x)
        return found

    def _joined(self, place: Place) -> int:
        """How many rows there are once those that change at this place have joined."""
        return 1 + sum(first <= place for first in self.firsts)

    @contextmanager
    def _scaled(self, place: Place) -> Iterator[None]:
        """Each row's heads of this layer multiplied by its gains, while the ``with`` lasts."""
        side, layer = place
        with ExitStack() as stack:
            for kind in _KINDS[side]:
                factors = torch.ones(self._joined(place), self.model.config.n_heads, 1, 1)
                for row, gains in enumerate(self.gains[: len(factors) - 1], 1):
                    for (own, number, head), gain in gains.items():
                        if (own, number) == (kind, layer):
                            factors[row, head] = gain
                if bool((factors != 1).any()):
                    module = self.model.get_submodule(hook_name(kind, layer, HEADS_OUT))
                    hook = lambda _m, _i, output, factors=factors: output * factors.to(output)  # noqa: E731
                    stack.callback(module.register_forward_hook(hook).remove)
            yield


def _first_change(gains: Gains) -> Place | None:
    """The first side and layer whose heads these gains change; None where all are 1."""
    places = [(int(kind != "encoder_self"), layer) for (kind, layer, _), gain in gains.items() if gain != 1]
    return min(places, default=None)


def grown(x: Tensor, rows: int) -> Tensor:
    """x with copies of its first row, the unchanged model's, at its end, up to so many rows."""
    return torch.cat((x, x[:1].expand(rows - len(x), *x.shape[1:]))) if rows > len(x) else x


def written_log_probs(model: Transformer, states: Tensor, written: Tensor) -> Tensor:
    """Natural log-probability of each written token [T] in each row: states [R, T, D] → [R, T]."""
    rows = max(1, LOGITS_AT_ONCE // len(written))
    parts = []
    for chunk in states.split(rows):
        logits = model.project(chunk).float()
        chosen = logits.gather(2, written.expand(len(chunk), -1)[..., None])[..., 0]
        parts.append(chosen - logits.logsumexp(-1))
    return torch.cat(parts)


TOKENS_AT_ONCE = 1024  # of the source and the target together that are in memory at once
SHORTENED: tuple[Way, ...] = ("mask", "remove")  # what is deleted has no part in anything, so it is left out


@dataclass(frozen=True)
class _Read:
    """What the encoder makes of some rows: memory [N or 1, S', D], its mask [N, 1, 1, S'], and values to silence."""

    memory: Tensor
    mask: Tensor | None = None
    silent: Tensor | None = None


def log_probs_without(model: Transformer, ids: ForcedIds, deleted: np.ndarray, way: Way, last: bool = False) -> Tensor:
    """Natural log-probability of each written token, [N, T], for each row of deleted source positions, bool [N, S].

    With ``last`` of the last one alone, [N, 1]: above what it attends to, no other step is gone through.

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
    found = torch.cat([_of_rows(model, ids, kept[part], way, last) for part in order.split(rows)])
    return torch.empty_like(found).index_copy_(0, order, found)


def _of_rows(model: Transformer, ids: ForcedIds, kept: Tensor, way: Way, last: bool) -> Tensor:
    if way == "silence":
        read = _Read(_memory(model, model.encoder.embedding(ids.src), None), silent=~kept)
    elif way == "average":
        own, mean = model.encoder.embedding(ids.src), _mean_embedding(model, ids.src)
        read = _Read(_memory(model, torch.where(kept[..., None], own, mean), None))
    else:
        read = _shortened(model, ids.src, kept, moving_up=way == "remove")
    states = _states_reading(model, ids, read, len(kept), last)
    return written_log_probs(model, states, ids.written[ids.steps - states.shape[1] : ids.steps])


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
    found: Tensor = model.encoder.norm(x)
    return found


def _states_reading(model: Transformer, ids: ForcedIds, read: _Read, rows: int, last: bool) -> Tensor:
    """Decoder states [N, T, D], or the last [N, 1, D]; until it looks at the source first, all rows are one."""
    x = model.decoder.embedding(ids.inputs[:, : ids.steps])
    causal: Tensor | None = causal_mask(x.shape[1], x.device)
    for layer in model.decoder.layers:
        assert isinstance(layer, DecoderLayer)
        normed = layer.self_attn_norm(x)
        own = layer.self_attn.project(normed)
        if last and layer is model.decoder.layers[-1]:
            x, normed, causal = x[:, -1:], normed[:, -1:], None  # it sees all
        x = (x + layer.self_attn(normed, own, causal)).expand(rows, -1, -1)
        key, value = layer.cross_attn.project(read.memory)
        if read.silent is not None:
            value = value.masked_fill(read.silent[:, None, :, None], 0.0)
        keys_values = key.expand(rows, -1, -1, -1), value
        x = x + layer.cross_attn(layer.cross_attn_norm(x), keys_values, read.mask)
        x = x + layer.feed_forward(layer.feed_forward_norm(x))
    found: Tensor = model.decoder.norm(x)
    return found


def _mean_embedding(model: Transformer, src: Tensor) -> Tensor:
    """Every position with the mean of the table's tokens: [1, S, D]."""
    embedding = model.encoder.embedding
    real = torch.arange(len(embedding.tokens.weight), device=src.device) != PAD_ID
    mean = embedding.tokens.weight[real].mean(0)
    every: Tensor = embedding.positions((mean * embedding.scale).expand(1, src.shape[1], -1))
    return every
