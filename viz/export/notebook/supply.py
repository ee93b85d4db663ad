"""Maps that are too many to be sent before somebody looks: all in few pixels, one head whole when it is asked for.

``viz/web/src/core/supply.js`` is the other end.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping

import numpy as np

from model.trace import Kind
from viz.export.notebook.shown_maps import ShownMaps
from viz.web.message import MapsPart
from viz.web.payload import pack

SIDE = 32  # most pixels of a small map each way


def message(given: ShownMaps, *, language: str, model: str) -> bytes:
    """The message whose maps are small ones of at most SIDE × SIDE cells; otherwise as ``payload.pack`` makes it.

    Raises:
        ValueError: a value is larger than 1, or no number. One below 0 is found when its head is looked at.
    """
    packed = pack(given.translation, {"weights": {}}, language=language, model=model)
    length = struct.unpack_from("<I", packed)[0]
    header = json.loads(packed[4 : 4 + length])
    parts: dict[str, MapsPart] = {}
    sent = bytearray()
    for kind, layers in given.layers.items():
        n_layers, n_heads = layers.shape[:2]
        parts[kind] = MapsPart(offset=len(sent), layers=n_layers, heads=n_heads, high=1.0)
        for number in range(n_layers):
            sent += bytes_of(layers.checked(number, pooled(layers.layer(number))))
    header["sorts"][0]["maps"] = parts
    said = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    return struct.pack("<I", len(said)) + said + bytes(sent)


def pooled(maps: np.ndarray) -> np.ndarray:
    """The largest weight of all cells that share a pixel: [head, query, key] in at most SIDE × SIDE."""
    for axis in (1, 2):
        length = maps.shape[axis]
        if length > SIDE:
            maps = np.maximum.reduceat(maps, [i * length // SIDE for i in range(SIDE)], axis=axis)
    return maps


def bytes_of(weights: np.ndarray) -> bytes:
    """A byte a weight, as ``codes.coded`` writes unsigned values, but in single precision, which is faster."""
    found = np.clip(weights, 0.0, 1.0, dtype=np.float32)
    np.sqrt(found, out=found)
    found *= 255
    found += 0.5
    return found.astype(np.uint8).tobytes()


def all_maps(given: ShownMaps) -> Mapping[Kind, np.ndarray]:
    """Every map of every kind, [layer, head, query, key]; copied where they were left where they are."""
    return {kind: layers.all() for kind, layers in given.layers.items()} or given.trace.weights
