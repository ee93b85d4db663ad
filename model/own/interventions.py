"""Changing what heads contribute while the model runs: mute, solo, turn up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from model.own.capture import hook_name, n_layers
from model.own.network.transformer import Transformer
from model.trace import HeadRef

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
