from __future__ import annotations

import math

import pytest
import torch

from model.own.network.config import TransformerConfig
from model.own.network.positions import PositionalEncoding, angular_frequencies, rotation, sinusoidal_table


def test_a_config_survives_the_round_trip() -> None:
    config = TransformerConfig(100, 200, n_decoder_layers=3)
    assert TransformerConfig.from_dict(config.to_dict()) == config
    assert config.d_head == 32


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"d_model": 250}, "d_model 250 is not a multiple of n_heads 8"),
        ({"d_model": 9, "n_heads": 3}, "d_model must be even"),
        ({"n_encoder_layers": 0}, "n_encoder_layers must be a positive whole number"),
        ({"d_ff": 10.5}, "d_ff must be a positive whole number"),
        ({"dropout": 1.0}, r"dropout must be in \[0, 1\)"),
        ({"attention_dropout": -0.1}, "attention_dropout must be in"),
        ({"heads": 8}, "unknown config key 'heads'"),
    ],
)
def test_wrong_sizes_are_refused_by_name(values: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        TransformerConfig.from_dict({"src_vocab_size": 100, "tgt_vocab_size": 100, **values})


def test_a_missing_vocabulary_size_is_named() -> None:
    with pytest.raises(ValueError, match="'tgt_vocab_size' is missing"):
        TransformerConfig.from_dict({"src_vocab_size": 100})


def test_the_table_holds_the_papers_formula() -> None:
    table = sinusoidal_table(50, 16)
    for position, pair in ((0, 0), (1, 0), (7, 3), (49, 7)):
        angle = position / 10000 ** (2 * pair / 16)
        assert table[position, 2 * pair].item() == pytest.approx(math.sin(angle), abs=1e-6)
        assert table[position, 2 * pair + 1].item() == pytest.approx(math.cos(angle), abs=1e-6)


def test_frequencies_fall_from_one() -> None:
    frequencies = angular_frequencies(16)
    assert frequencies[0] == 1
    assert frequencies[4].item() == pytest.approx(0.01)
    assert (frequencies.diff() < 0).all()


@pytest.mark.parametrize("offset", [-3.0, 0.0, 2.5, 10.0])
def test_one_rotation_shifts_every_position(offset: float) -> None:
    angle = angular_frequencies(16)

    def encoding(position: float) -> torch.Tensor:
        return torch.stack(((position * angle).sin(), (position * angle).cos()), -1).flatten()

    turn = rotation(offset, 16)
    for position in (0.0, 1.0, 20.0, 33.3):
        torch.testing.assert_close(turn @ encoding(position), encoding(position + offset))
    torch.testing.assert_close(turn @ turn.T, torch.eye(16, dtype=torch.float64))
    if offset:
        assert not torch.allclose(rotation(-offset, 16) @ encoding(5.0), encoding(5.0 + offset), atol=1e-3)


def test_positions_start_where_the_cache_ends_and_end_with_the_table() -> None:
    positions = PositionalEncoding(8, 16)
    x = torch.zeros(1, 3, 16)
    torch.testing.assert_close(positions(x, start=5)[0], sinusoidal_table(8, 16)[5:8])
    with pytest.raises(ValueError, match="longer than max_len 8"):
        positions(x, start=6)
