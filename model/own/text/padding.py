"""Rows of ids as one tensor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from model.own.text.vocab import PAD_ID


def pad(rows: Sequence[np.ndarray]) -> Tensor:
    """One int64 tensor [B, longest], short rows filled with pad_id."""
    out = torch.full((len(rows), max(len(row) for row in rows)), PAD_ID, dtype=torch.long)
    for number, row in enumerate(rows):
        out[number, : len(row)] = torch.as_tensor(row)
    return out
