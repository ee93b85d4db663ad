"""Inside one head: the six steps from input vectors to the layer's output, on real numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from model.attention import MultiHeadAttention
from model.capture import Captured, capture_attention, hook_name
from model.trace import Kind
from model.transformer import Transformer

HOOKS = ("query_hook", "key_hook", "value_hook", "scores_hook", "masked_scores_hook", "weights_hook", "heads_hook")


@dataclass(frozen=True)
class HeadSteps:
    """What one head computed for every query (Vaswani et al. 2017, section 3.2); float32.

    Attributes:
        inputs: normed vectors that the queries come from, [Q, D].
        memory: vectors that keys and values come from, [K, D].
        query: q = W_Q x + b, [Q, d_head].
        key, value: k and v of every position, [K, d_head].
        dots: q · k, [Q, K].
        scores: dots / √d_head, [Q, K].
        masked_scores: scores with −∞ where the mask hides a key, [Q, K].
        weights: softmax of the masked scores, [Q, K].
        gathered: weighted sum of the values, [Q, d_head].
        projected: this head's share of the layer's output, W_O's columns of this head times gathered, [Q, D].
        bias: the output projection's bias, which belongs to no head, [D].
    """

    inputs: np.ndarray
    memory: np.ndarray
    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    dots: np.ndarray
    scores: np.ndarray
    masked_scores: np.ndarray
    weights: np.ndarray
    gathered: np.ndarray
    projected: np.ndarray
    bias: np.ndarray


@torch.inference_mode()
def head_steps(model: Transformer, src_ids: Tensor, tgt_ids: Tensor, kind: Kind, layer: int, head: int) -> HeadSteps:
    """The steps of one head over a teacher-forced pass.

    Args:
        model: in evaluation mode.
        src_ids: [1, S], without padding.
        tgt_ids: decoder inputs, <bos> first, [1, T].
        kind, layer, head: which head.
    """
    seen = seen_by_layer(model, src_ids, tgt_ids, kind, layer)
    block = attention_block(model, kind, layer)
    query, key, value, scores, masked, weights, gathered = (
        seen.values[hook_name(kind, layer, name)][0, head] for name in HOOKS
    )
    columns = slice(head * block.d_head, (head + 1) * block.d_head)
    inputs, memory = (seen.values[name][0] for name in ("inputs", "memory"))
    tensors = {
        "inputs": inputs,
        "memory": memory,
        "query": query,
        "key": key,
        "value": value,
        "dots": query @ key.T,
        "scores": scores,
        "masked_scores": masked,
        "weights": weights,
        "gathered": gathered,
        "projected": gathered @ block.out_proj.weight[:, columns].T,
        "bias": block.out_proj.bias,
    }
    return HeadSteps(**{name: tensor.float().cpu().numpy() for name, tensor in tensors.items()})


def attention_block(model: Transformer, kind: Kind, layer: int) -> MultiHeadAttention:
    """The attention module that holds a head."""
    block = model.get_submodule(hook_name(kind, layer, "query_hook").rpartition(".")[0])
    assert isinstance(block, MultiHeadAttention)
    return block


def seen_by_layer(model: Transformer, src_ids: Tensor, tgt_ids: Tensor, kind: Kind, layer: int) -> Captured:
    """Every hook of one layer's attention, with its inputs under "inputs" and "memory"; [1, …] each."""
    block = attention_block(model, kind, layer)
    extra: dict[str, Tensor] = {}
    handles = [
        block.q_proj.register_forward_pre_hook(lambda _, args: extra.__setitem__("inputs", args[0])),
        block.k_proj.register_forward_pre_hook(lambda _, args: extra.__setitem__("memory", args[0])),
    ]
    try:
        with capture_attention(model, HOOKS, (kind,)) as seen:
            model(src_ids, tgt_ids)
    finally:
        for handle in handles:
            handle.remove()
    return Captured({**seen.values, **extra})
