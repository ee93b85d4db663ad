"""What happens without a mask: the future leaks, and a softmax of nothing is not a number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext

import numpy as np
import torch
from torch import Tensor, nn

from model.own.network.transformer import Transformer
from model.own.passes import attention_block
from model.own.text.vocab import UNK_ID
from model.trace import HeadRef, Translation
from model.translator import Translator


@contextmanager
def without_causal_mask(model: Transformer) -> Iterator[None]:
    """The decoder's self-attention hides nothing while the ``with`` lasts; for one sentence without padding."""
    handles = []
    try:
        for layer in range(model.config.n_decoder_layers):
            block, kept = attention_block(model, "decoder_self", layer), list[Tensor]()

            def keep(_module: nn.Module, _given: object, scores: Tensor, kept: list[Tensor] = kept) -> None:
                kept[:] = [scores]

            def unmask(_module: nn.Module, _given: object, _masked: Tensor, kept: list[Tensor] = kept) -> Tensor:
                return kept[0]

            handles.append(block.scores_hook.register_forward_hook(keep))
            handles.append(block.masked_scores_hook.register_forward_hook(unmask))
        yield
    finally:
        for handle in handles:
            handle.remove()


def leak(model: Translator, translation: Translation, place: int) -> tuple[np.ndarray, np.ndarray]:
    """How far each step's prediction moves when the token read at ``place`` becomes <unk>: [T] each, 0 to 1.

    The distance is total variation, half the sum of |Δp| over the vocabulary; first with the causal
    mask, then without it. A step before ``place`` can only move if it sees the future.
    """
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    both = ids.inputs.repeat(2, 1)
    both[1, place] = UNK_ID
    moved = []
    with model.running() as network:
        for setting in (nullcontext(), without_causal_mask(network)):
            with setting:
                before, after = network(ids.src.repeat(2, 1), both).float().softmax(-1)
            moved.append(((after - before).abs().sum(-1) / 2).cpu().numpy())
    return moved[0], moved[1]


def under_triu(scores: np.ndarray, k: int, hide: float = -torch.inf) -> np.ndarray:
    """PyTorch's softmax of scores [T, T] where ``np.triu(ones, k)`` is replaced by ``hide``.

    A row that sees nothing is NaN with −∞, and even with the Annotated Transformer's −1e9.
    """
    hidden = torch.from_numpy(np.triu(np.ones(scores.shape), k) == 1)
    return torch.from_numpy(scores.copy()).masked_fill(hidden, hide).softmax(-1).numpy()


def shuffled_weights(model: Translator, translation: Translation, heads: Sequence[HeadRef], seed: int = 0) -> float:
    """How far the predictions move where heads' weights are shuffled among the keys, row by row: 0 to 1, mean of steps.

    Total variation; after Jain and Wallace 2019, section 4.2.
    """
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    generator = torch.Generator().manual_seed(seed)
    with model.running() as network, torch.inference_mode(), ExitStack() as stack:
        before = network(ids.src, ids.inputs)[0].float().softmax(-1)
        for each in heads:

            def shuffle(_module: nn.Module, _given: object, weights: Tensor, head: int = each.head) -> Tensor:
                order = torch.rand(weights.shape[2:], generator=generator).argsort(-1).to(weights.device)
                out = weights.clone()
                out[0, head] = weights[0, head].gather(-1, order)
                return out

            block = attention_block(network, each.kind, each.layer)
            stack.callback(block.weights_hook.register_forward_hook(shuffle).remove)
        after = network(ids.src, ids.inputs)[0].float().softmax(-1)
    return float((after - before).abs().sum(-1).mean() / 2)
