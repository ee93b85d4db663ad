from __future__ import annotations

import pytest
import torch

from model.own.network.masks import causal_mask, decoder_mask, padding_mask

IDS = torch.tensor([[5, 6, 7, 0], [5, 0, 0, 0]])


def test_true_means_may_attend() -> None:
    assert padding_mask(IDS, 0).tolist() == [[[[True, True, True, False]]], [[[True, False, False, False]]]]
    assert causal_mask(3)[0, 0].int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]


def test_the_decoder_uses_both_together() -> None:
    assert decoder_mask(IDS, 0)[1, 0].int().tolist() == [[1, 0, 0, 0]] * 4
    assert decoder_mask(IDS, 0)[0, 0, 3].int().tolist() == [1, 1, 1, 0]
    assert decoder_mask(IDS, 0).shape == (2, 1, 4, 4)


def test_a_row_of_padding_alone_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing but padding"):
        padding_mask(torch.tensor([[5, 6], [0, 0]]), 0)
