"""Attention masks. Everywhere: True = may attend."""

from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    """Mask that hides padding from every query.

    Args:
        ids: token ids, [B, K].
        pad_id: the id that fills short rows.

    Returns:
        bool [B, 1, 1, K], True where the key is a real token.

    Raises:
        ValueError: a row holds nothing but padding, so that its queries could see no key at all.
    """
    mask = ids != pad_id
    if not bool(mask.any(dim=1).all()):
        raise ValueError("a row of the batch holds nothing but padding")
    return mask[:, None, None, :]


def causal_mask(size: int, device: torch.device | str | None = None) -> Tensor:
    """Mask that hides the future: query t sees keys 0…t.

    Returns:
        bool [1, 1, size, size], lower triangle (diagonal included) True.
    """
    return torch.ones(1, 1, size, size, dtype=torch.bool, device=device).tril()


def decoder_mask(ids: Tensor, pad_id: int) -> Tensor:
    """Mask of the decoder's self-attention: padding mask & causal mask.

    Args:
        ids: decoder input ids, [B, T].
        pad_id: the id that fills short rows.

    Returns:
        bool [B, 1, T, T].
    """
    return padding_mask(ids, pad_id) & causal_mask(ids.shape[1], ids.device)
