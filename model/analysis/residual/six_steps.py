"""Inside one head: the six steps from input vectors to the layer's output, on real numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from model.passage import Ask, ForcedIds, Step
from model.source import Source, require
from model.trace import Kind


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


def head_steps(model: Source, ids: ForcedIds, kind: Kind, layer: int, head: int) -> HeadSteps:
    """The steps of one head over a teacher-forced pass.

    Args:
        model: that is watched.
        ids: what it reads and writes.
        kind, layer, head: which head.

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
