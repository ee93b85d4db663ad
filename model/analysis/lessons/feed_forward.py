"""The position-wise feed-forward network: which of its units fire, and what the translation loses without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from model.own.network.layers import EncoderLayer, decoder_mask, padding_mask
from model.own.text.vocab import PAD_ID
from model.trace import Translation
from model.translator import Translator


@dataclass(frozen=True)
class Firing:
    """The hidden units of an encoder layer's feed-forward network over one sentence."""

    # width, hidden: numbers that go in and come out of each token, and units between
    width: int
    hidden: int
    share: np.ndarray  # of the units above 0, token by token, [S]
    parameters: tuple[int, int]  # of this network, and of the layer's attention
    moved: float  # largest change of what comes out where the tokens stand in reverse: each is treated alone


def firing(model: Translator, text: str, layer: int) -> Firing:
    """What the units of a layer do while the encoder reads a text (Vaswani et al. 2017, section 3.3)."""
    ids, seen = model.encode_source(text)[1], list[Tensor]()
    with model.running() as network, torch.inference_mode():
        block = network.encoder.layers[layer]
        assert isinstance(block, EncoderLayer)
        network_of = block.feed_forward
        handle = network_of.register_forward_hook(lambda _module, given, _output: seen.append(given[0]))
        try:
            network.encode(ids)
        finally:
            handle.remove()
        given = seen[0]
        units = network_of.up_proj(given)[0]
        moved = (network_of(given.flip(1)).flip(1) - network_of(given)).abs().max()
        parts: tuple[nn.Module, ...] = (network_of, block.self_attn)
        counts = [sum(each.numel() for each in part.parameters()) for part in parts]
    share = (units > 0).double().mean(-1).cpu().numpy()
    return Firing(given.shape[-1], units.shape[-1], share, (counts[0], counts[1]), float(moved))


def without(model: Translator, translation: Translation) -> tuple[np.ndarray, np.ndarray]:
    """Change of the translation's log-probability without one layer's feed-forward network: encoder's, decoder's, [L].

    The residual sum stays, so that the layer hands on what its attention made. All are computed in one pass: its batch
    has the whole model in the first row, and from each layer on one row more, which went through that layer without.
    """
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    with model.running() as network, torch.inference_mode():
        encoder, decoder = network.encoder, network.decoder
        seen, before = padding_mask(ids.src, PAD_ID), decoder_mask(ids.inputs, PAD_ID)
        x = encoder.embedding(ids.src)
        for layer in encoder.layers:
            x = _branched(layer, x, seen)
        memory = encoder.norm(x)
        x = decoder.embedding(ids.inputs).expand(len(memory), -1, -1)
        for layer in decoder.layers:
            x = _branched(layer, x, memory, before, seen)
            memory = torch.cat([memory, memory[:1]])
        written = ids.written[: ids.steps, None]
        every = (network.project(states).log_softmax(-1) for states in decoder.norm(x)[:, : ids.steps])
        totals = np.array([float(each.gather(-1, written).double().sum()) for each in every])
    first, last = np.split(totals[1:] - totals[0], [len(encoder.layers)])
    return first, last


def _branched(layer: nn.Module, x: Tensor, *given: Tensor | None) -> Tensor:
    """What a layer makes of a batch, [B, N, D] → [B + 1, N, D]: the last row is its first without feed-forward."""
    attended = list[Tensor]()
    handle = layer.get_submodule("feed_forward_norm").register_forward_pre_hook(
        lambda _module, args: attended.append(args[0])
    )
    try:
        return torch.cat([layer(x, *given), attended[0][:1]])
    finally:
        handle.remove()


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"ReLU": F.relu, "GELU": F.gelu}


def activations(x: np.ndarray) -> dict[str, np.ndarray]:
    """ReLU, max(0, x), and GELU, x · Φ(x) (Hendrycks and Gimpel 2016), of numbers [N]."""
    return {name: function(torch.from_numpy(x)).numpy() for name, function in ACTIVATIONS.items()}
