"""The masks that our own Transformer makes of rows of ids."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from model.own.network.masks import causal_mask, decoder_mask, padding_mask
from model.own.text.padding import pad
from model.own.text.vocab import BOS_ID, EOS_ID, PAD_ID, SPECIAL_TOKENS
from model.trace import Kind

PAD, START, END = (SPECIAL_TOKENS[special] for special in (PAD_ID, BOS_ID, EOS_ID))


def source_mask(rows: Sequence[np.ndarray]) -> np.ndarray:
    """The padding mask of source ids as the encoder gets it: bool [B, longest], True = may attend."""
    return padding_mask(pad(rows), PAD_ID)[:, 0, 0].numpy()


def target_masks(rows: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """The padding mask [B, T], and that and the causal mask together [B, T, T], of target ids after the start."""
    ids = pad([np.array([BOS_ID, *row]) for row in rows])
    return padding_mask(ids, PAD_ID)[:, 0, 0].numpy(), decoder_mask(ids, PAD_ID)[:, 0].numpy()


def causal(size: int) -> np.ndarray:
    """The model's causal mask: bool [size, size], True = may attend."""
    return causal_mask(size)[0, 0].numpy()


def sentence_mask(kind: Kind, n_keys: int) -> np.ndarray:
    """The mask that the model makes for one sentence without padding: bool [1 or n_keys, n_keys]."""
    ids = torch.full((1, n_keys), BOS_ID)  # any id but padding: the masks look at nothing else
    mask = decoder_mask(ids, PAD_ID) if kind == "decoder_self" else padding_mask(ids, PAD_ID)
    return mask[0, 0].numpy()
