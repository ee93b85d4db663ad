"""The small maps of a page, as its file holds them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def values_of(entry: Mapping[str, Any]) -> np.ndarray:
    """The map of a sentence, [Q, K]: of each row the eight largest weights; what is below half a percent is 0."""
    values = np.zeros((len(entry["rows"]), len(entry["columns"])))
    for row, pairs in enumerate(entry["cells"]):
        for key, level in zip(pairs[::2], pairs[1::2], strict=True):
            values[row, key] = level / 255
    return values
