"""The position-wise feed-forward network: which of its units fire, and what the translation loses without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from model.own.network.layers import EncoderLayer
from model.trace import Translation
from model.translator import Translator


@dataclass(frozen=True)
class Firing:
    """The hidden units of an encoder layer's feed-forward network over one sentence.

    Attributes:
        width, hidden: numbers that go in and come out of each token, and units between.
        share: of the units above 0, token by token, [S].
        parameters: of this network, and of the layer's attention.
        moved: largest change of what comes out where the tokens stand in reverse: each is treated alone.
    """

    width: int
    hidden: int
    share: np.ndarray
    parameters: tuple[int, int]
    moved: float


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

    The residual sum stays, so that the layer hands on what its attention made.
    """
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)

    def silence(_module: object, _given: object, output: Tensor) -> Tensor:
        return torch.zeros_like(output)

    with model.running() as network, torch.inference_mode():

        def log_p() -> float:
            every = network(ids.src, ids.inputs)[0].log_softmax(-1)
            return float(every.gather(1, ids.written[:, None])[: ids.steps].double().sum())

        whole, changes = log_p(), list[list[float]]()
        for side in (network.encoder, network.decoder):
            changes.append([])
            for layer in side.layers:
                handle = layer.get_submodule("feed_forward").register_forward_hook(silence)
                try:
                    changes[-1].append(log_p() - whole)
                finally:
                    handle.remove()
    return np.array(changes[0]), np.array(changes[1])


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"ReLU": F.relu, "GELU": F.gelu}


def activations(x: np.ndarray) -> dict[str, np.ndarray]:
    """ReLU, max(0, x), and GELU, x · Φ(x) (Hendrycks and Gimpel 2016), of numbers [N]."""
    return {name: function(torch.from_numpy(x)).numpy() for name, function in ACTIVATIONS.items()}
