"""Rounded weights in a graph: stored as whole numbers with a scale, made float32 again once, when the graph is loaded.

Only what is stored becomes smaller; every sum is done in float32, so that tokens and maps stay those of the model but
for the rounding of its weights.

==========  ===============================================================================================
float32     nothing is rounded
int8        127 levels on either side of 0, a byte each; every output of a matrix, and every row of a table,
            has a scale of its own
compact     one scale a matrix, as many levels for a root mean square as FINENESS says: two bytes each here, about
            ten bits once ``model/onnx/packed.py`` has stored them. With one scale all weights of a matrix err alike,
            which costs least for what their codes take; where errors cost most there are most levels.
==========  ===============================================================================================

``python -m model export-onnx --check`` says what each costs in tokens.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import torch

from model.own.network.transformer import Transformer

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto

Precision = Literal["float32", "int8", "compact"]
INT8 = 127
LEAST_ROUNDED = 10_000  # numbers; smaller weights stay as they are

# Levels for the root mean square of a matrix, so that an error of any of them costs as much as it saves: measured, a
# matrix rounded at a time, by how far the two likeliest tokens of a step then move against each other.
FINENESS: Mapping[str, float] = {
    "encoder.embedding.tokens": 295,
    "encoder.self_attn.q_proj": 275,
    "encoder.self_attn.k_proj": 275,
    "encoder.self_attn.v_proj": 330,
    "encoder.self_attn.out_proj": 330,
    "encoder.feed_forward.up_proj": 215,
    "encoder.feed_forward.down_proj": 150,
    "decoder.embedding.tokens": 760,
    "decoder.self_attn.q_proj": 340,
    "decoder.self_attn.k_proj": 340,
    "decoder.self_attn.v_proj": 390,
    "decoder.self_attn.out_proj": 390,
    "decoder.cross_attn.q_proj": 490,
    "decoder.cross_attn.k_proj": 490,
    "decoder.cross_attn.v_proj": 560,
    "decoder.cross_attn.out_proj": 590,
    "decoder.feed_forward.up_proj": 375,
    "decoder.feed_forward.down_proj": 250,
}
FINER_FIRST = 1.5  # times finer: the attention of a stack's first layer, on which all others build


class RoundedCodes(NamedTuple):
    """A rounded weight: ``whole · scale``, with a scale for each entry of ``axis``, or one where that is None."""

    whole: np.ndarray
    scale: np.ndarray
    axis: int | None

    @property
    def turned(self) -> RoundedCodes:
        """Of the matrix whose rows are these columns."""
        return RoundedCodes(
            np.ascontiguousarray(self.whole.T), self.scale, None if self.axis is None else 1 - self.axis
        )

    @property
    def values(self) -> np.ndarray:
        """The weight again, float32."""
        shape = [-1 if at == self.axis else 1 for at in range(self.whole.ndim)]
        found: np.ndarray = self.whole.astype(np.float32) * self.scale.reshape(shape)
        return found


RoundedWeights = Mapping[str, RoundedCodes]  # by the sum of their numbers, as they lie in a graph


def round_weights(model: Transformer, precision: Precision) -> RoundedWeights:
    """Round the large matrices of a model, in place; what they are then made of, each both ways round."""
    found = dict[str, RoundedCodes]()
    if precision == "float32":
        return found
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.numel() < LEAST_ROUNDED:
                continue
            values = weight.numpy()
            codes = codes_of(values) if precision == "int8" else even_codes_of(values, fineness(name))
            weight.copy_(torch.from_numpy(codes.values))
            found |= {sum_of(each.values): each for each in (codes, codes.turned)}
    return found


def fineness(name: str) -> float:
    """Levels for the root mean square of the parameter of that name."""
    parts = name.removesuffix(".weight").split(".")
    place = parts[2] if parts[1] == "layers" else ""
    role = ".".join(part for part in parts if part not in ("layers", place))
    return FINENESS[role] * (FINER_FIRST if place == "0" and "_attn" in role else 1.0)


def codes_of(weight: np.ndarray) -> RoundedCodes:
    """127 levels on either side of 0, with a scale for each row."""
    scale = np.abs(weight).max(axis=1).astype(np.float32) / INT8
    scale[scale == 0] = 1.0  # a row of zeros, as that of <pad>
    return RoundedCodes(np.rint(weight / scale[:, None]).astype(np.int8), scale, 0)


def even_codes_of(weight: np.ndarray, levels: float) -> RoundedCodes:
    """One scale for all numbers: so many levels for their root mean square."""
    scale = np.sqrt(np.square(weight, dtype=np.float64).mean()) / levels
    most = np.abs(weight).max()
    scale = np.float32(max(scale, most / np.iinfo(np.int16).max) or 1.0)
    return RoundedCodes(np.rint(weight / scale).astype(np.int16), np.array(scale), None)


def sum_of(weight: np.ndarray) -> str:
    """What tells a weight in a graph from others."""
    return hashlib.sha256(np.ascontiguousarray(weight, np.float32).tobytes()).hexdigest()


def with_codes(model: ModelProto, weights: RoundedWeights) -> ModelProto:
    """The same graph with codes in place of every weight that is made of some."""
    from onnx import numpy_helper

    stored: list[TensorProto] = []
    nodes: list[NodeProto] = []
    graph = model.graph
    for weight in graph.initializer:
        values = numpy_helper.to_array(weight)
        codes = weights.get(sum_of(values)) if values.size >= LEAST_ROUNDED else None
        if codes is None:
            stored.append(weight)
        else:
            tensors, node = _stored(weight.name, codes)
            stored += tensors
            nodes.append(node)
    nodes += graph.node
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend(stored)
    graph.node.extend(nodes)
    return model


def _stored(name: str, codes: RoundedCodes) -> tuple[list[TensorProto], NodeProto]:
    """What is stored of a weight, and the node that makes it again."""
    from onnx import helper, numpy_helper

    names = [f"{name}.codes", f"{name}.scale"]
    stored = [numpy_helper.from_array(part, name) for part, name in zip(codes[:2], names, strict=True)]
    axis: dict[str, Any] = {} if codes.axis is None else {"axis": codes.axis}
    return stored, helper.make_node("DequantizeLinear", names, [name], **axis)
