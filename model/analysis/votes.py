"""Who voted for token A against token B: direct contributions to a logit difference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from model.analysis.inside import attention_block
from model.capture import Captured, capture_attention, hook_name
from model.trace import Kind
from model.transformer import Transformer

DECODER_KINDS: tuple[Kind, Kind] = ("decoder_self", "cross")


@dataclass(frozen=True)
class Votes:
    """Direct contributions to logit(A) − logit(B) at one decoder step; float64.

    They sum to the difference, because the residual stream is a sum, and the final norm, its scale
    held at what it was, is linear (direct logit attribution, Elhage et al. 2021; "freezing" the norm
    as in nostalgebraist 2020 and TransformerLens).

    Attributes:
        heads: by kind ("decoder_self", "cross"), [L, H].
        sources: each cross-attention head's vote split over the source tokens, [L, H, S].
        feed_forward: of each layer's feed-forward network, [L].
        embedding: of the token just read and its position.
        biases: of the output projections' biases and the final norm's shift, which belong to no head.
        difference: logit(A) − logit(B), as the model computed it.
    """

    heads: dict[Kind, np.ndarray]
    sources: np.ndarray
    feed_forward: np.ndarray
    embedding: float
    biases: float
    difference: float

    @property
    def rest(self) -> float:
        """What no head contributed: feed-forward networks, embedding, biases."""
        return float(self.feed_forward.sum()) + self.embedding + self.biases

    @property
    def total(self) -> float:
        """All heads and the rest."""
        return sum(float(votes.sum()) for votes in self.heads.values()) + self.rest


@torch.inference_mode()
def votes(model: Transformer, src_ids: Tensor, tgt_ids: Tensor, for_id: int, against_id: int) -> Votes:
    """Votes at the last position of a teacher-forced prefix.

    Args:
        model: in evaluation mode.
        src_ids: [1, S], without padding.
        tgt_ids: decoder inputs so far, <bos> first, [1, T].
        for_id, against_id: the two candidates, A and B.
    """
    seen, stream = _watch(model, src_ids, tgt_ids)
    direction, shift = _direction(model, stream, for_id, against_id)
    heads: dict[Kind, np.ndarray] = {}
    biases = shift
    for kind in DECODER_KINDS:
        shares = []
        for layer in range(model.config.n_decoder_layers):
            gathered = seen.values[hook_name(kind, layer, "heads_hook")][0, :, -1].double()  # [H, d_head]
            shares.append((gathered * _head_directions(model, kind, layer, direction)).sum(-1))
            biases += float(attention_block(model, kind, layer).out_proj.bias.double() @ direction)
        heads[kind] = torch.stack(shares).cpu().numpy()
    states = model.decoder.norm(stream["final"])[0, -1]
    logits = model.project(states).double()
    return Votes(
        heads=heads,
        sources=_source_votes(model, seen, direction),
        feed_forward=np.array([float(out[0, -1].double() @ direction) for out in _feed_forward(model, stream)]),
        embedding=float(stream["embedding"][0, -1].double() @ direction),
        biases=biases,
        difference=float(logits[for_id] - logits[against_id]),
    )


def _direction(model: Transformer, stream: dict[str, Tensor], for_id: int, against_id: int) -> tuple[Tensor, float]:
    """Direction d and constant c with logit(A) − logit(B) = d · (final residual) + c; float64 [D]."""
    norm, final = model.decoder.norm, stream["final"][0, -1].double()
    table = model.decoder.embedding.tokens.weight.double()
    wanted = (table[for_id] - table[against_id]) * norm.weight.double()
    scale = torch.rsqrt(final.var(unbiased=False) + norm.eps)
    direction = (wanted - wanted.mean()) * scale  # subtracting the mean of x is subtracting that of d
    return direction, float((table[for_id] - table[against_id]) @ norm.bias.double())


def _head_directions(model: Transformer, kind: Kind, layer: int, direction: Tensor) -> Tensor:
    """The direction as each head's gathered values see it through the output projection: [H, d_head]."""
    block = attention_block(model, kind, layer)
    return (direction @ block.out_proj.weight.double()).view(block.n_heads, block.d_head)


def _source_votes(model: Transformer, seen: Captured, direction: Tensor) -> np.ndarray:
    per_layer = []
    for layer in range(model.config.n_decoder_layers):
        value = seen.values[hook_name("cross", layer, "value_hook")][0].double()  # [H, S, d_head]
        weights = seen.values[hook_name("cross", layer, "weights_hook")][0, :, -1].double()  # [H, S]
        towards = _head_directions(model, "cross", layer, direction)
        per_layer.append(weights * (value * towards[:, None]).sum(-1))
    return torch.stack(per_layer).cpu().numpy()


def _feed_forward(model: Transformer, stream: dict[str, Tensor]) -> list[Tensor]:
    return [stream[f"feed_forward.{layer}"] for layer in range(model.config.n_decoder_layers)]


def _watch(model: Transformer, src_ids: Tensor, tgt_ids: Tensor) -> tuple[Captured, dict[str, Tensor]]:
    """One teacher-forced pass: the decoder's attention hooks, and what enters its residual stream."""
    stream: dict[str, Tensor] = {}
    layers = model.decoder.layers
    handles = [
        model.decoder.embedding.register_forward_hook(lambda *args: stream.__setitem__("embedding", args[2])),
        model.decoder.norm.register_forward_pre_hook(lambda _, args: stream.__setitem__("final", args[0])),
    ]
    for number, layer in enumerate(layers):
        name = f"feed_forward.{number}"
        hook = lambda *args, name=name: stream.__setitem__(name, args[2])  # noqa: E731
        handles.append(layer.get_submodule("feed_forward").register_forward_hook(hook))
    try:
        with capture_attention(model, ("heads_hook", "value_hook", "weights_hook"), DECODER_KINDS) as seen:
            model(src_ids, tgt_ids)
    finally:
        for handle in handles:
            handle.remove()
    return seen, stream
