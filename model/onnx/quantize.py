"""Rounded weights in a graph: stored as whole numbers with a scale, made float32 again once, when the graph is loaded.

Only what is stored becomes smaller; every sum is done in float32, so that tokens and maps stay those of the model but
for the rounding of its weights. Each row of a table that is looked up in, and each column of a matrix that x is
multiplied by, has a scale of its own. How many levels there are on either side of 0, ROUNDING says:

==========  ===============================================================================================
float32     nothing is rounded
int8        127 of every weight, a byte each
compact     some hundreds, in two bytes each, of which the higher is nearly always the same: a weight takes about
            ten bits once it is zipped, high bytes apart from low ones. Where errors cost most there are most levels:
            the table that also makes the logits has four times those of the encoder.
==========  ===============================================================================================

``python -m model export-onnx --check`` says what each costs in tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto, NodeProto, TensorProto

Precision = Literal["float32", "int8", "compact"]


class Levels(NamedTuple):
    """Levels on either side of 0, of matrices and of tables."""

    matrix: int
    table: int


INT8 = 127
ROUNDING: Mapping[Precision, Mapping[str, Levels]] = {
    "float32": {},
    "int8": dict.fromkeys(("encoder", "decoder", "votes"), Levels(INT8, INT8)),
    "compact": {"encoder": Levels(410, 508), "decoder": Levels(666, 1675), "votes": Levels(INT8, INT8)},
}
LEAST_ROUNDED = 10_000  # numbers; smaller weights stay as they are


def rounded(model: ModelProto, levels: Levels | None) -> ModelProto:
    """The same graph with rounded numbers in place of every large matrix; with levels of None as it is."""
    if levels is None:
        return model
    nodes: list[NodeProto] = []
    graph = model.graph
    weights = list(graph.initializer)
    del graph.initializer[:]
    for weight in weights:
        stored, made = _stored(graph, weight, levels)
        graph.initializer.extend(stored)
        nodes += made
    rest = list(graph.node)
    del graph.node[:]
    graph.node.extend([*nodes, *rest])
    return model


def codes_of(weight: np.ndarray, axis: int, levels: int) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers int32 of the same shape, and float32 scales, one along ``axis``: weight ≈ codes · scale."""
    others = tuple(at for at in range(weight.ndim) if at != axis)
    scale = np.abs(weight).max(axis=others).astype(np.float32) / levels
    scale[scale == 0] = 1.0  # a row of zeros, as that of <pad>
    shape = [-1 if at == axis else 1 for at in range(weight.ndim)]
    return np.rint(weight / scale.reshape(shape)).astype(np.int32), scale


def _stored(graph: GraphProto, weight: TensorProto, levels: Levels) -> tuple[list[TensorProto], list[NodeProto]]:
    """What is stored of a weight, and the nodes that make it again."""
    from onnx import helper, numpy_helper

    values, name = numpy_helper.to_array(weight), weight.name
    axis = _axis(graph, name, values.ndim) if values.size >= LEAST_ROUNDED and values.dtype == np.float32 else None
    if axis is None:
        return [weight], []
    codes, scale = codes_of(values, axis, levels.matrix if axis else levels.table)
    names = [f"{name}.codes", f"{name}.scale"]
    whole = np.int8 if np.abs(codes).max() <= INT8 else np.int16
    stored = [numpy_helper.from_array(codes.astype(whole), names[0]), numpy_helper.from_array(scale, names[1])]
    return stored, [helper.make_node("DequantizeLinear", names, [name], axis=axis)]


def _axis(graph: GraphProto, name: str, rank: int) -> int | None:
    """The axis of a weight that has a scale for each entry; None where it is no matrix to be rounded."""
    users = {(node.op_type, list(node.input).index(name)) for node in graph.node if name in node.input}
    if users == {("MatMul", 1)}:
        return rank - 1
    return 0 if ("Gather", 0) in users and users <= {("Gather", 0), ("Transpose", 0)} else None
