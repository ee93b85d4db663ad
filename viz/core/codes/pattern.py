"""A painted pattern as a short string for a link: a bit a cell, row by row, as hexadecimal digits."""

from __future__ import annotations

import re

import numpy as np

from model.analysis.heads.patterns import GRID

DIGITS = GRID * GRID // 4
_CODE = re.compile(rf"[0-9a-f]{{{DIGITS}}}")


def pattern_code(painted: np.ndarray) -> str:
    """Sixteen digits that ``parse_pattern`` reads as these cells; "" where none is painted.

    >>> pattern_code(np.eye(8))
    '8040201008040201'
    """
    bits = "".join("1" if cell else "0" for cell in painted.ravel() > 0.5)
    return f"{int(bits, 2):0{DIGITS}x}" if "1" in bits else ""


def parse_pattern(code: object) -> np.ndarray:
    """The painted cells, 0 or 1, [GRID, GRID]; none where the code is not one."""
    if not isinstance(code, str) or not _CODE.fullmatch(code):
        return np.zeros((GRID, GRID))
    bits = f"{int(code, 16):0{GRID * GRID}b}"
    return np.array([float(bit) for bit in bits]).reshape(GRID, GRID)
