"""Our own Transformer with parts of another pass in place of its own, many rows at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

import torch
from torch import Tensor

from model.own.branches import grown
from model.own.capture import HEADS_OUT, check_heads, hook_name
from model.own.network.layers import DecoderLayer, LayerCache, causal_mask
from model.own.network.transformer import Transformer
from model.passage import ForcedIds, Pass, Patch, Places, TextSide
from model.trace import Kind

CARRIED_AT_ONCE = 8192  # of both sides together that are in memory at once
Place = tuple[int, int]  # side (0 the encoder, 1 the decoder), layer
_SIDES: tuple[TextSide, TextSide] = ("src", "tgt")
_KINDS: tuple[tuple[Kind, ...], ...] = (("encoder_self",), ("decoder_self", "cross"))


def patched_logits(model: Transformer, ids: ForcedIds, donor: Pass, patches: Sequence[Patch], steps: int = 1) -> Tensor:
    """As ``Source.patched``: each row leaves the unpatched pass at the first layer that its patch changes."""
    there = _sizes(model, donor)
    for patch in patches:
        _check(model, ids, there, patch)
    order = sorted(range(len(patches)), key=lambda row: _first(patches[row]))
    at_once = max(1, CARRIED_AT_ONCE // (ids.src.shape[1] + ids.inputs.shape[1]))
    found = torch.empty(len(patches), steps, model.config.tgt_vocab_size, device=ids.src.device)
    for start in range(0, len(order), at_once):
        rows = order[start : start + at_once]
        found[rows] = _Batch(model, donor, [patches[row] for row in rows]).logits(ids, steps)[1:]
    return found


class _Batch:
    """Row 0 is the pass as it is; the others join it where their patches begin, in order."""

    def __init__(self, model: Transformer, donor: Pass, patches: Sequence[Patch]) -> None:
        self.model, self.donor, self.patches = model, donor, patches
        self.firsts = [_first(patch) for patch in patches]

    def logits(self, ids: ForcedIds, steps: int) -> Tensor:
        """Of the last ``steps`` steps, of all rows: [1 + R, steps, V]."""
        memory = self._memory(ids.src)
        x = self.model.decoder.embedding(ids.inputs).expand(len(memory), -1, -1)
        mask = causal_mask(ids.inputs.shape[1], ids.inputs.device)
        for number, layer in enumerate(self.model.decoder.layers):
            assert isinstance(layer, DecoderLayer)
            x = self._carried(grown(x, self._joined((1, number))), "tgt", number)
            keys = tuple(grown(each, len(x)) for each in layer.cross_attn.project(memory))
            with self._hooked((1, number)):
                x = layer(x, memory, mask, None, LayerCache(cross_attn=(keys[0], keys[1])))
        x = self._carried(grown(x, 1 + len(self.patches)), "tgt", len(self.model.decoder.layers))
        return self.model.project(self.model.decoder.norm(x[:, -steps:])).float()

    def _memory(self, src_ids: Tensor) -> Tensor:
        """Encoder output of the pass as it is and of every row that changes the encoder: [1 + R, S, D]."""
        x, layers = self.model.encoder.embedding(src_ids), self.model.encoder.layers
        for number, layer in enumerate(layers):
            x = self._carried(grown(x, self._joined((0, number))), "src", number)
            with self._hooked((0, number)):
                x = layer(x, None)
        x = self._carried(grown(x, self._joined((0, len(layers)))), "src", len(layers))
        found: Tensor = self.model.encoder.norm(x)
        return found

    def _joined(self, place: Place) -> int:
        """How many rows there are once those that change at this place have joined."""
        return 1 + sum(first <= place for first in self.firsts)

    def _carried(self, x: Tensor, side: TextSide, level: int) -> Tensor:
        """The states [R, T, D] of a level, with those of the other pass where a row carries them."""
        stream = self.donor.source_stream if side == "src" else self.donor.stream
        assert stream is not None
        changed = x
        for row, patch in enumerate(self.patches[: len(x) - 1], 1):
            if (side, level) in patch.states:
                changed = x.clone() if changed is x else changed
                for here, there in _places(patch, side):
                    changed[row, here] = stream.levels[level][there]
        return changed

    @contextmanager
    def _hooked(self, place: Place) -> Iterator[None]:
        """Each row's heads of this layer exchanged for those of the other pass, while the ``with`` lasts."""
        side, layer = place
        patches = self.patches[: self._joined(place) - 1]
        with ExitStack() as stack:
            for kind in _KINDS[side]:
                if any((head.kind, head.layer) == (kind, layer) for patch in patches for head in patch.heads):
                    module = self.model.get_submodule(hook_name(kind, layer, HEADS_OUT))
                    exchange = _exchange(patches, kind, layer, self.donor.step(kind, layer, "heads"), _SIDES[side])
                    stack.callback(module.register_forward_hook(exchange).remove)
            yield


def _exchange(patches: Sequence[Patch], kind: Kind, layer: int, heads: Tensor, side: TextSide) -> Callable[..., Tensor]:
    """A hook that puts the other pass's heads [H, Q, d_head] of a layer into the rows that carry them."""

    def hook(_module: object, _inputs: object, output: Tensor) -> Tensor:
        changed = output.clone()  # [R, H, Q, d_head]
        for row, patch in enumerate(patches, 1):
            for head in patch.heads:
                if (head.kind, head.layer) == (kind, layer):
                    for here, there in _places(patch, side):
                        changed[row, head.head, here] = heads[head.head, there]
        return changed

    return hook


def _places(patch: Patch, side: TextSide) -> Places:
    return patch.src if side == "src" else patch.tgt


def _first(patch: Patch) -> Place:
    """The first side and layer that a patch changes; behind the last where it changes nothing."""
    heads = [(int(head.kind != "encoder_self"), head.layer) for head in patch.heads]
    return min([*heads, *((_SIDES.index(side), level) for side, level in patch.states)], default=(2, 0))


def _sizes(model: Transformer, donor: Pass) -> dict[TextSide, int]:
    """Number of places on either side of the other pass.

    Raises:
        ValueError: it is of a model of other sizes, or did not keep what is to be taken from it.
    """
    sizes: dict[TextSide, int] = {}
    layers = {"src": model.config.n_encoder_layers, "tgt": model.config.n_decoder_layers}
    for side, kinds in zip(_SIDES, _KINDS, strict=True):
        stream = donor.source_stream if side == "src" else donor.stream
        heads = [donor.attention.get((kind, layer), {}).get("heads") for kind in kinds for layer in range(layers[side])]
        if (
            stream is None
            or stream.levels.shape[::2] != (layers[side] + 1, model.config.d_model)
            or any(each is None or each.shape[::2] != (model.config.n_heads, model.config.d_head) for each in heads)
        ):
            raise ValueError("the other pass was not asked for all that can be carried, or its model has other sizes")
        sizes[side] = stream.levels.shape[1]
    return sizes


def _check(model: Transformer, ids: ForcedIds, there: Mapping[TextSide, int], patch: Patch) -> None:
    """Are there such heads, levels and places?

    Raises:
        ValueError: one of them does not exist.
    """
    check_heads(model, patch.heads)
    levels = {"src": model.config.n_encoder_layers, "tgt": model.config.n_decoder_layers}
    if wrong := [(side, level) for side, level in patch.states if not 0 <= level <= levels[side]]:
        raise ValueError(f"there is no level {wrong[0]}")
    sizes = {"src": ids.src.shape[1], "tgt": ids.inputs.shape[1]}
    for side in _SIDES:
        for own, taken in _places(patch, side):
            if not (0 <= own < sizes[side] and 0 <= taken < there[side]):
                raise ValueError(f"there is no place {own} of {sizes[side]}, or {taken} of {there[side]}")
