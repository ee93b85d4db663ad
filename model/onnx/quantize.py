"""Weights of eight bits in a graph: stored as int8 with a scale, made float32 again when the graph is loaded.

Only what is stored becomes smaller, by four; every sum is done in float32, so that maps stay those of the model but for
the rounding of its weights. (Quantizing what the layers read as well, as ``quantize_dynamic`` does, changes more tokens:
``python -m model export-onnx --check``.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from onnx import GraphProto, ModelProto

LEAST = 10_000  # numbers; smaller weights stay as they are
FULL_SCALE = 127


def quantized(model: ModelProto) -> ModelProto:
    """The same graph with int8 in place of every large matrix that is looked up in, or multiplied by."""
    from onnx import helper, numpy_helper

    graph, nodes = model.graph, []
    kept = list(graph.initializer)
    del graph.initializer[:]
    for initializer in kept:
        weight = numpy_helper.to_array(initializer)
        axis = (
            _axis(graph, initializer.name, weight.ndim) if weight.size >= LEAST and weight.dtype == np.float32 else None
        )
        if axis is None:
            graph.initializer.append(initializer)
            continue
        codes, scale = rounded(weight, axis)
        name = initializer.name
        graph.initializer.append(numpy_helper.from_array(codes, f"{name}.codes"))
        graph.initializer.append(numpy_helper.from_array(scale, f"{name}.scale"))
        inputs = [f"{name}.codes", f"{name}.scale"]
        nodes.append(helper.make_node("DequantizeLinear", inputs, [name], axis=axis))
    rest = list(graph.node)
    del graph.node[:]
    graph.node.extend([*nodes, *rest])
    return model


def rounded(weight: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Codes int8 of the same shape, and float32 scales, one along ``axis``: weight ≈ codes · scale."""
    others = tuple(at for at in range(weight.ndim) if at != axis)
    scale = np.abs(weight).max(axis=others).astype(np.float32) / FULL_SCALE
    scale[scale == 0] = 1.0  # a row of zeros, as that of <pad>
    shape = [-1 if at == axis else 1 for at in range(weight.ndim)]
    return np.rint(weight / scale.reshape(shape)).astype(np.int8), scale


def _axis(graph: GraphProto, name: str, rank: int) -> int | None:
    """The axis of a weight that has a scale for each entry; None where it is no matrix to be quantized.

    A table that is looked up in has one a row, a matrix that x is multiplied by one a column.
    """
    users = {(node.op_type, list(node.input).index(name)) for node in graph.node if name in node.input}
    if users == {("MatMul", 1)}:
        return rank - 1
    return 0 if ("Gather", 0) in users and users <= {("Gather", 0), ("Transpose", 0)} else None
