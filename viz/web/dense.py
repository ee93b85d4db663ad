"""Bytes as they lie in a page: numbers of two bytes apart, and text a sixth longer, not a third as in base64.

Seven bits a character (after base122, Albertson 2016). The three characters that an HTML parser would change, or at
which the data of a script could end, are others of two bytes; ``src/engine/dense.js`` reads it.
"""

from __future__ import annotations

import numpy as np

ESCAPED = {0x00: "¡", 0x0D: "¢", 0x3C: "£"}


def dense(data: bytes) -> str:
    """The text that stands for bytes; it may lie in a ``<script>`` of data.

    >>> dense(bytes(7)), dense(b"I")
    ('¡¡¡¡¡¡¡¡', '$@')
    """
    bits = np.unpackbits(np.frombuffer(data, np.uint8))
    padded = np.pad(bits, (0, -len(bits) % 7)).reshape(-1, 7)
    codes = np.packbits(np.pad(padded, ((0, 0), (1, 0))), axis=1)[:, 0]
    return codes.tobytes().decode("ascii").translate(ESCAPED)


def apart(data: bytes) -> bytes:
    """Every first byte of two, then every second: where most numbers take two bytes, it zips better.

    >>> apart(b"abcde")
    b'acebd'
    """
    return data[::2] + data[1::2]
