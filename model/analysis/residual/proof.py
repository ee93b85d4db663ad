"""The six steps inside one head on real numbers, and whether they, taken by hand, give what the model computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from model.passage import Ask, ForcedIds, Projections, Step
from model.source import Source, require
from model.trace import TOLERANCE, Kind, may_attend


@dataclass(frozen=True)
class HeadSteps:
    """What one head computed for every query (Vaswani et al. 2017, section 3.2); float32."""

    inputs: np.ndarray  # normed vectors that the queries come from, [Q, D]
    memory: np.ndarray  # vectors that keys and values come from, [K, D]
    query: np.ndarray  # q = W_Q x + b, [Q, d_head]
    # key, value: k and v of every position, [K, d_head]
    key: np.ndarray
    value: np.ndarray
    dots: np.ndarray  # q · k, [Q, K]
    scores: np.ndarray  # dots / √d_head, [Q, K]
    masked_scores: np.ndarray  # scores with −∞ where the mask hides a key, [Q, K]
    weights: np.ndarray  # softmax of the masked scores, [Q, K]
    gathered: np.ndarray  # weighted sum of the values, [Q, d_head]
    projected: np.ndarray  # this head's share of the layer's output, W_O's columns of this head times gathered, [Q, D]
    bias: np.ndarray  # the output projection's bias, which belongs to no head, [D]


def head_steps(model: Source, ids: ForcedIds, kind: Kind, layer: int, head: int) -> HeadSteps:
    """The steps of one head over a teacher-forced pass.

    Args:
        ids: what it reads and writes.

    Raises:
        LacksAbilityError: the model does not show what goes on inside a head.
    """
    require(model, "internals", "scores")
    asked: tuple[Step, ...] = ("query", "key", "value", "scores", "masked_scores", "weights", "heads")
    seen = model.forced(ids, Ask((*asked, "inputs", "memory"), (kind,)))
    query, key, value, scores, masked, weights, gathered = (seen.step(kind, layer, step)[head] for step in asked)
    out = model.heads_out(kind, layer)
    tensors = {
        "inputs": seen.step(kind, layer, "inputs"),
        "memory": seen.step(kind, layer, "memory"),
        "query": query,
        "key": key,
        "value": value,
        "dots": query @ key.T,
        "scores": scores,
        "masked_scores": masked,
        "weights": weights,
        "gathered": gathered,
        "projected": gathered @ out.weight[head],
        "bias": out.bias,
    }
    return HeadSteps(**{name: tensor.float().cpu().numpy() for name, tensor in tensors.items()})


@dataclass(frozen=True)
class HeadProof:
    """The steps of one head, and their distance from what the model computed on its own."""

    steps: HeadSteps  # what the head computed
    # largest difference between the captured weights of this head and those worked out from the input vectors, step by
    # step, in float64
    weights_error: float
    # largest difference between the layer's output in an unwatched pass, through the fused kernel, and the same output
    # worked out from all of the layer's heads
    output_error: float

    @property
    def holds(self) -> bool:
        """True if both agree within 1e-5."""
        return max(self.weights_error, self.output_error) <= TOLERANCE


def proven_steps(model: Source, text: str, ids: Sequence[int], kind: Kind, layer: int, head: int) -> HeadProof:
    """The steps of one head while a translation is written, checked against the model.

    Args:
        ids: target ids without special tokens.

    Raises:
        EmptySentenceError, SentenceTooLongError: as ``Source.ids``.
        LacksAbilityError: the model does not show what goes on inside a head.
        AttributeError: there is no such layer.
    """
    require(model, "internals", "projections")
    forced = model.ids(text, ids)
    steps = head_steps(model, forced, kind, layer, head)
    output = model.forced(forced, Ask(("output",), (kind,))).step(kind, layer, "output").float().cpu().numpy()
    maps, n_heads = model.projections(kind, layer), model.anatomy.kinds[kind].heads
    weights, by_hand = worked_out(maps, n_heads, steps.inputs, steps.memory, may_attend(kind, steps.weights.shape))
    return HeadProof(
        steps,
        float(np.abs(weights[head] - steps.weights).max()),
        float(np.abs(by_hand - output).max()),
    )


def worked_out(
    maps: Projections, n_heads: int, inputs: np.ndarray, memory: np.ndarray, allowed: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Weights [H, Q, K] and output [Q, D] of a layer's attention in float64 numpy (Vaswani et al. 2017, section 3.2).

    Args:
        maps: the layer's projections.
        n_heads: how many heads share them.
        inputs: vectors that the queries come from, [Q, D].
        memory: vectors that the keys and values come from, [K, D].
        allowed: bool [Q, K], True = may attend.
    """

    def project(layer: tuple[Tensor, Tensor], vectors: np.ndarray) -> np.ndarray:
        weight, bias = (each.double().cpu().numpy() for each in layer)
        return np.asarray(vectors.astype(np.float64) @ weight.T + bias)

    def heads(layer: tuple[Tensor, Tensor], vectors: np.ndarray) -> np.ndarray:  # [H, T, d_head]
        return project(layer, vectors).reshape(len(vectors), n_heads, -1).transpose(1, 0, 2)

    query, key, value = heads(maps.query, inputs), heads(maps.key, memory), heads(maps.value, memory)
    scores = np.where(allowed, query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1]), -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    gathered = (weights @ value).transpose(1, 0, 2).reshape(len(inputs), -1)
    return weights, project(maps.out, gathered)
