"""Attention maps of a model at work, caught by hooks that live inside a ``with``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn

from model.own.network.transformer import Transformer
from model.trace import KINDS, HeadRef, Kind

_SITES: dict[Kind, tuple[str, str]] = {
    "encoder_self": ("encoder", "self_attn"),
    "decoder_self": ("decoder", "self_attn"),
    "cross": ("decoder", "cross_attn"),
}
WEIGHTS, SCORES = "weights_hook", "scores_hook"


def site_name(kind: Kind, layer: int) -> str:
    """Dotted name of an attention module, as ``Transformer.get_submodule`` takes it.

    >>> site_name("cross", 3)
    'decoder.layers.3.cross_attn'
    """
    side, block = _SITES[kind]
    return f"{side}.layers.{layer}.{block}"


def hook_name(kind: Kind, layer: int, hook: str) -> str:
    """Dotted name of a hook point.

    >>> hook_name("cross", 3, "weights_hook")
    'decoder.layers.3.cross_attn.weights_hook'
    """
    return f"{site_name(kind, layer)}.{hook}"


def n_layers(model: Transformer, kind: Kind) -> int:
    """Number of layers that have attention of this kind."""
    return model.config.n_encoder_layers if kind == "encoder_self" else model.config.n_decoder_layers


@dataclass
class Captured:
    """What the hooks saw, by dotted hook name: tensors as the model used them, batch first."""

    values: dict[str, Tensor] = field(default_factory=dict)

    def of(self, kind: Kind, layer: int, hook: str = WEIGHTS) -> Tensor:
        """What one hook saw of the first sentence."""
        return self.values[hook_name(kind, layer, hook)][0]

    def stack(self, model: Transformer, kind: Kind, hook: str = WEIGHTS) -> np.ndarray:
        """One kind's values over all layers, of the first sentence: float32 [L, H, Q, K]."""
        tensors = [self.of(kind, layer, hook) for layer in range(n_layers(model, kind))]
        return torch.stack(tensors).float().cpu().numpy()


@contextmanager
def capture_attention(
    model: Transformer, hooks: tuple[str, ...] = (WEIGHTS, SCORES), kinds: tuple[Kind, ...] = KINDS
) -> Iterator[Captured]:
    """Record hook points of every layer while the ``with`` lasts; nothing stays on the model.

    Args:
        model: whose forward passes inside the ``with`` are recorded; a later pass overwrites.
        hooks: names from ``MultiHeadAttention.HOOKS``.
        kinds: which attention to watch; what is not watched keeps its fused kernel.
    """
    captured = Captured()

    def record(name: str) -> object:
        def hook(_module: nn.Module, _inputs: tuple[Tensor, ...], output: Tensor) -> None:
            captured.values[name] = output.detach()

        return hook

    handles = []
    try:
        for kind in kinds:
            for layer in range(n_layers(model, kind)):
                for hook in hooks:
                    name = hook_name(kind, layer, hook)
                    handles.append(model.get_submodule(name).register_forward_hook(record(name)))  # type: ignore[arg-type]
        yield captured
    finally:
        for handle in handles:
            handle.remove()


HEADS_OUT = "heads_hook"


@contextmanager
def scaled_heads(model: Transformer, gains: Mapping[HeadRef, float]) -> Iterator[None]:
    """Multiply heads' outputs while the ``with`` lasts; heads not named keep a gain of 1.

    A head's output is its weighted sum of values, before the output projection: at gain 0 it
    contributes exactly nothing, and its weights are still computed and can be captured (Michel et
    al. 2019, equation 1, with any gain in place of 0 and 1). A gain of 1 registers nothing.

    Args:
        model: whose forward passes inside the ``with`` are changed.
        gains: factor for each head.

    Raises:
        ValueError: a head does not exist.
    """
    check_heads(model, gains)
    by_hook: dict[str, dict[int, float]] = defaultdict(dict)
    for (kind, layer, head), gain in gains.items():
        if gain != 1:
            by_hook[hook_name(kind, layer, HEADS_OUT)][head] = gain
    handles = []
    try:
        for name, factors in by_hook.items():
            handles.append(model.get_submodule(name).register_forward_hook(_multiplier(factors, model)))
        yield
    finally:
        for handle in handles:
            handle.remove()


def check_heads(model: Transformer, heads: Iterable[HeadRef]) -> None:
    """Are there such heads?

    Raises:
        ValueError: one of them does not exist.
    """
    for kind, layer, head in heads:
        if not (0 <= layer < n_layers(model, kind) and 0 <= head < model.config.n_heads):
            raise ValueError(f"there is no head L{layer} H{head} of kind {kind}")


def _multiplier(factors: Mapping[int, float], model: Transformer) -> Callable[..., Tensor]:
    gain = torch.ones(model.config.n_heads, 1, 1)
    for head, factor in factors.items():
        gain[head] = factor

    def hook(_module: nn.Module, _inputs: tuple[Tensor, ...], output: Tensor) -> Tensor:
        return output * gain.to(output)  # [B, H, Q, d_head]

    return hook
