"""Do the six steps of a head, taken by hand, give what the model computed?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from model.analysis.inside import HeadSteps, attention_block, head_steps
from model.analysis.sanity import TOLERANCE, allowed
from model.attention import MultiHeadAttention
from model.trace import Kind
from model.transformer import Transformer
from model.translator import Translator
from model.vocab import BOS_ID


@dataclass(frozen=True)
class HeadProof:
    """The steps of one head, and their distance from what the model computed on its own.

    Attributes:
        steps: what the head computed.
        weights_error: largest difference between the captured weights of this head and those worked
            out from the input vectors, step by step, in float64.
        output_error: largest difference between the layer's output in an unwatched pass, through the
            fused kernel, and the same output worked out from all of the layer's heads.
    """

    steps: HeadSteps
    weights_error: float
    output_error: float

    @property
    def holds(self) -> bool:
        """True if both agree within 1e-5."""
        return max(self.weights_error, self.output_error) <= TOLERANCE


def proven_steps(translator: Translator, text: str, ids: Sequence[int], kind: Kind, layer: int, head: int) -> HeadProof:
    """The steps of one head while a translation is written, checked against the model.

    Args:
        translator: whose model is watched.
        text: the source sentence.
        ids: target ids without special tokens.
        kind, layer, head: which head.

    Raises:
        EmptySentenceError, SentenceTooLongError: as ``Translator.translate``.
        AttributeError: there is no such layer.
    """
    _, src_ids = translator.encode_source(text)
    tgt_ids = torch.tensor([[BOS_ID, *ids]], device=src_ids.device)
    with translator.running() as model:
        steps = head_steps(model, src_ids, tgt_ids, kind, layer, head)
        block = attention_block(model, kind, layer)
        output = _output(model, block, src_ids, tgt_ids)
        weights, by_hand = worked_out(block, steps.inputs, steps.memory, allowed(kind, steps.weights.shape))
    return HeadProof(
        steps,
        float(np.abs(weights[head] - steps.weights).max()),
        float(np.abs(by_hand - output).max()),
    )


def worked_out(
    block: MultiHeadAttention, inputs: np.ndarray, memory: np.ndarray, may_attend: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Weights [H, Q, K] and output [Q, D] of a layer's attention in float64 numpy (Vaswani et al. 2017, section 3.2).

    Args:
        block: whose projections are used.
        inputs: vectors that the queries come from, [Q, D].
        memory: vectors that the keys and values come from, [K, D].
        may_attend: bool [Q, K].
    """

    def project(layer: torch.nn.Module, vectors: np.ndarray) -> np.ndarray:
        weight, bias = (getattr(layer, name).detach().double().cpu().numpy() for name in ("weight", "bias"))
        return np.asarray(vectors.astype(np.float64) @ weight.T + bias)

    def heads(layer: torch.nn.Module, vectors: np.ndarray) -> np.ndarray:  # [H, T, d_head]
        return project(layer, vectors).reshape(len(vectors), block.n_heads, block.d_head).transpose(1, 0, 2)

    query, key, value = heads(block.q_proj, inputs), heads(block.k_proj, memory), heads(block.v_proj, memory)
    scores = np.where(may_attend, query @ key.transpose(0, 2, 1) / np.sqrt(block.d_head), -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    gathered = (weights @ value).transpose(1, 0, 2).reshape(len(inputs), -1)
    return weights, project(block.out_proj, gathered)


def _output(model: Transformer, block: MultiHeadAttention, src_ids: Tensor, tgt_ids: Tensor) -> np.ndarray:
    """What the attention module returns while nobody watches its steps: [Q, D]."""
    seen: list[Tensor] = []
    handle = block.register_forward_hook(lambda *args: seen.append(args[2]))
    try:
        model(src_ids, tgt_ids)
    finally:
        handle.remove()
    return seen[0][0].float().cpu().numpy()
