"""Many changed models in one batch: each row leaves the unchanged model at the first layer whose heads it changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import torch
from torch import Tensor

from model.own.capture import hook_name
from model.own.interventions import HEADS_OUT, check_heads
from model.own.network.layers import DecoderLayer, LayerCache
from model.own.network.masks import causal_mask
from model.own.network.transformer import Transformer
from model.passage import ForcedIds
from model.source import Gains
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
        return self.model.encoder.norm(x)

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
        return self.model.decoder.norm(x)

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
