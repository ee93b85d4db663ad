"""The weights of graphs as a page stores them: apart from the graphs, each once, in as few bits as their codes need.

A graph with codes (``model/onnx/quantize.py``) becomes one that looks its weights up, as float32, in external data
named WEIGHTS. Of every code the low bits, which are noise, are stored as they are, and the higher part, which is a
byte, so that Huffman's code comes within a hundredth of its entropy. ``viz/web/src/engine/weights.js`` puts
both together.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from model.errors import HeadlightError
from model.onnx.export import NEEDS

if TYPE_CHECKING:
    from onnx import ModelProto, TensorProto

WEIGHTS = "weights"
MIDDLE = 128  # what stands for a higher part of 0


@dataclass
class WeightStore:
    """Codes of weights, one after the other, each once."""

    codes: list[np.ndarray] = field(default_factory=list)  # int16, flat
    steps: list[float] = field(default_factory=list)  # of each the scale
    _places: dict[bytes, int] = field(default_factory=dict)
    _end: int = 0

    def place(self, codes: np.ndarray, step: float) -> int:
        """Where the weight begins, counted in numbers; it is added where it is not there yet."""
        key = np.float32(step).tobytes() + codes.tobytes()
        if key not in self._places:
            self._places[key] = self._end
            self.codes.append(codes.ravel())
            self.steps.append(step)
            self._end += codes.size
        return self._places[key]

    @property
    def table(self) -> list[tuple[int, float, int]]:
        """Of each weight: how many numbers, the scale, the number of low bits."""
        return [(codes.size, step, low_bits(codes)) for codes, step in zip(self.codes, self.steps, strict=True)]

    def packed(self) -> tuple[bytes, bytes]:
        """The higher parts, and the low bits, zipped."""
        highs = [(codes >> low_bits(codes)) + MIDDLE for codes in self.codes]
        high = b"".join(each.astype(np.uint8).tobytes() for each in highs)
        lows = [_low(codes, low_bits(codes)) for codes in self.codes]
        low = np.packbits(np.concatenate([*lows, np.zeros(0, np.uint8)])).tobytes()
        return _zipped(high, zlib.Z_HUFFMAN_ONLY), _zipped(low, zlib.Z_DEFAULT_STRATEGY, level=0)


def low_bits(codes: np.ndarray) -> int:
    """How many bits of each code are not in its higher part, which is a byte."""
    return max(0, max(int(codes.max()), -int(codes.min()) - 1).bit_length() - 7)


def without_weights(graph: bytes, store: WeightStore) -> bytes:
    """The graph that looks up what has one scale; this goes into ``store``. Other weights stay where they are.

    Raises:
        HeadlightError: the package that reads graphs is not installed.
    """
    try:
        import onnx
    except ImportError as error:
        raise HeadlightError(NEEDS.format(missing=error.name)) from None
    model = onnx.load_model_from_string(graph)
    _look_up(model, store)
    found: bytes = model.SerializeToString()
    return found


def _look_up(model: ModelProto, store: WeightStore) -> None:
    from onnx import numpy_helper

    graph, known = model.graph, {each.name: each for each in model.graph.initializer}
    for node in [node for node in graph.node if node.op_type == "DequantizeLinear"]:
        codes, scale = (numpy_helper.to_array(known[name]) for name in node.input)
        if scale.ndim:
            continue
        graph.initializer.append(_external(node.output[0], codes.shape, store.place(codes, float(scale))))
        graph.node.remove(node)
        for name in node.input:
            graph.initializer.remove(known[name])


def _external(name: str, shape: Sequence[int], place: int) -> TensorProto:
    from onnx import TensorProto, external_data_helper

    found = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape, raw_data=b"")
    size = 4 * int(np.prod(shape))
    external_data_helper.set_external_data(found, WEIGHTS, 4 * place, size)
    found.ClearField("raw_data")
    return found


def _low(codes: np.ndarray, few: int) -> np.ndarray:
    """The low bits of codes, highest first, a byte for each bit."""
    bits = np.unpackbits((codes & ((1 << few) - 1)).astype(">u2").view(np.uint8)).reshape(-1, 16)
    return bits[:, 16 - few :].ravel()


def _zipped(data: bytes, strategy: int, level: int = 9) -> bytes:
    packer = zlib.compressobj(level, zlib.DEFLATED, 16 + zlib.MAX_WBITS, memLevel=9, strategy=strategy)
    return packer.compress(data) + packer.flush()
