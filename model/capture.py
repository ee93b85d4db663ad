"""Attention maps of a model at work, caught by hooks that live inside a ``with``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

from model.transformer import Transformer

Kind = Literal["encoder_self", "decoder_self", "cross"]
KINDS: tuple[Kind, ...] = ("encoder_self", "decoder_self", "cross")
_SITES: dict[Kind, tuple[str, str]] = {
    "encoder_self": ("encoder", "self_attn"),
    "decoder_self": ("decoder", "self_attn"),
    "cross": ("decoder", "cross_attn"),
}
WEIGHTS, SCORES = "weights_hook", "scores_hook"


def hook_name(kind: Kind, layer: int, hook: str) -> str:
    """Dotted name of a hook point, as ``Transformer.get_submodule`` takes it.

    >>> hook_name("cross", 3, "weights_hook")
    'decoder.layers.3.cross_attn.weights_hook'
    """
    side, block = _SITES[kind]
    return f"{side}.layers.{layer}.{block}.{hook}"


def n_layers(model: Transformer, kind: Kind) -> int:
    """Number of layers that have attention of this kind."""
    return model.config.n_encoder_layers if kind == "encoder_self" else model.config.n_decoder_layers


@dataclass
class Captured:
    """What the hooks saw, by dotted hook name: tensors as the model used them, batch first."""

    values: dict[str, Tensor] = field(default_factory=dict)

    def stack(self, model: Transformer, kind: Kind, hook: str = WEIGHTS) -> np.ndarray:
        """One kind's values over all layers, of the first sentence: float32 [L, H, Q, K]."""
        tensors = [self.values[hook_name(kind, layer, hook)][0] for layer in range(n_layers(model, kind))]
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


@dataclass(frozen=True)
class Label:
    """A token as an axis shows it.

    Attributes:
        text: what the token stands for; a piece inside a word begins with ``##``.
        word: index of its word in the sentence; -1 for a special token.
        start, end: character span in the text that it came from; equal for a special token.
    """

    text: str
    word: int = -1
    start: int = 0
    end: int = 0

    @property
    def is_special(self) -> bool:
        """True for <bos> and <eos>."""
        return self.word < 0


@dataclass(frozen=True)
class AttentionTrace:
    """Every attention map of one translation, with the tokens of its axes.

    Axes are [layer, head, query, key], float32. Rows of the decoder's maps belong to its inputs:
    row t has read ``tgt_inputs[t]`` (<bos> first) and writes ``tgt_outputs[t]`` (<eos> last).

    Attributes:
        weights: after softmax, before dropout, by kind.
        scores: q·k / √d_head before the mask, by kind; the same shapes.
    """

    src: tuple[Label, ...]
    tgt_inputs: tuple[Label, ...]
    tgt_outputs: tuple[Label, ...]
    weights: dict[Kind, np.ndarray]
    scores: dict[Kind, np.ndarray]

    def __post_init__(self) -> None:
        for kind in KINDS:
            expected = tuple(len(labels) for labels in self.axis_labels(kind))
            for values in (self.weights[kind], self.scores[kind]):
                if values.ndim != 4 or values.shape[2:] != expected:
                    raise ValueError(f"{kind} maps have shape {values.shape}, but the axes hold {expected} tokens")

    @property
    def encoder_self(self) -> np.ndarray:
        """Weights of the encoder's self-attention, [L, H, S, S]."""
        return self.weights["encoder_self"]

    @property
    def decoder_self(self) -> np.ndarray:
        """Weights of the decoder's self-attention, [L, H, T, T]."""
        return self.weights["decoder_self"]

    @property
    def cross(self) -> np.ndarray:
        """Weights of the cross-attention, [L, H, T, S]."""
        return self.weights["cross"]

    def axis_labels(self, kind: Kind) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
        """Labels of the rows (queries) and columns (keys) of a kind's maps."""
        rows = self.src if kind == "encoder_self" else self.tgt_inputs
        return rows, self.tgt_inputs if kind == "decoder_self" else self.src

    def axis_tokens(self, kind: Kind) -> tuple[list[str], list[str]]:
        """Texts of the rows (queries) and columns (keys) of a kind's maps."""
        rows, columns = self.axis_labels(kind)
        return [label.text for label in rows], [label.text for label in columns]

    def map(self, kind: Kind, layer: int, head: int) -> np.ndarray:
        """One head's weights, [query, key].

        Raises:
            ValueError: there is no such kind, layer or head.
        """
        if kind not in self.weights:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
        layers, heads = self.weights[kind].shape[:2]
        if not (0 <= layer < layers and 0 <= head < heads):
            raise ValueError(f"{kind} has layers 0–{layers - 1} and heads 0–{heads - 1}, got L{layer} H{head}")
        return self.weights[kind][layer, head]
