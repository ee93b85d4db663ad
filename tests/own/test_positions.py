from __future__ import annotations

import math

import pytest
import torch

from model.own.network.positions import PositionalEncoding, angular_frequencies, rotation, sinusoidal_table


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
