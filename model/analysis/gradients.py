"""How the written words would react to each attention weight: gradients, caught by hooks on the weights."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor, nn

from model.analysis.forced import forced_ids
from model.capture import WEIGHTS, hook_name, n_layers
from model.trace import KINDS, Kind, Translation
from model.transformer import Transformer
from model.translator import Translator


def gradient_maps(translator: Translator, translation: Translation, step: int | None = None) -> dict[Kind, np.ndarray]:
    """∂ log p / ∂ weight of every head: float32 [L, H, Q, K] by kind, in nats per unit of weight.

    Every weight is taken as free: its row need not keep a sum of 1, and keys that the mask hides have
    a gradient too, which is set to 0 because their weight cannot change.

    Args:
        translator: whose model wrote, or was forced to write, the translation.
        translation: what was written.
        step: row of ``tgt_outputs`` whose token's log-probability is differentiated; None takes the
            whole translation, <eos> included.

    Raises:
        IndexError: there is no such step.
    """
    src, inputs, written = forced_ids(translator, translation)
    with translator.running() as model, torch.inference_mode(False), torch.enable_grad(), _gradients(model) as found:
        ids = [tensor.clone() for tensor in (src, inputs, written)]  # made under inference mode
        log_probs = model(ids[0], ids[1])[0].float().log_softmax(-1).gather(1, ids[2][:, None])[:, 0]
        wanted = log_probs.sum() if step is None else log_probs[step]
        torch.autograd.backward(wanted, inputs=list(found.weights.values()))
    return {kind: _stacked(found, kind, n_layers(translator.model, kind)) for kind in KINDS}


class _Found:
    """Weights as the model used them, and the gradients that came back to them, by dotted hook name."""

    def __init__(self) -> None:
        self.weights: dict[str, Tensor] = {}
        self.gradients: dict[str, Tensor] = {}


@contextmanager
def _gradients(model: Transformer) -> Iterator[_Found]:
    """Catch every weight, and by a tensor hook (``Tensor.register_hook``) its gradient, while the ``with`` lasts."""
    found = _Found()

    def watch(name: str) -> object:
        def hook(_module: nn.Module, _inputs: tuple[Tensor, ...], output: Tensor) -> None:
            found.weights[name] = output
            output.register_hook(lambda gradient: found.gradients.__setitem__(name, gradient.detach()))

        return hook

    names = [hook_name(kind, layer, WEIGHTS) for kind in KINDS for layer in range(n_layers(model, kind))]
    handles = [model.get_submodule(name).register_forward_hook(watch(name)) for name in names]  # type: ignore[arg-type]
    try:
        yield found
    finally:
        for handle in handles:
            handle.remove()


def _stacked(found: _Found, kind: Kind, depth: int) -> np.ndarray:
    layers = []
    for layer in range(depth):
        name = hook_name(kind, layer, WEIGHTS)
        weights, gradient = found.weights[name][0].detach(), found.gradients[name][0]
        hidden = torch.ones_like(weights[0], dtype=torch.bool).triu(1) if kind == "decoder_self" else None
        layers.append(gradient if hidden is None else gradient.masked_fill(hidden, 0.0))
    return torch.stack(layers).float().cpu().numpy()
