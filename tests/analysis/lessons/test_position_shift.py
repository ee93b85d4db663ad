from __future__ import annotations

import numpy as np
import pytest

from model.analysis.lessons import positions
from model.own.network.positions import sinusoidal_table
from model.translator import Translator

TABLE = sinusoidal_table(60, 32).numpy()


def test_the_table_is_the_models_own_and_a_copy(translator: Translator) -> None:
    table = positions.position_table(translator)
    np.testing.assert_array_equal(table, translator.model.encoder.embedding.positions.table.numpy())
    table[:] = 0
    assert np.abs(positions.position_table(translator)).max() == 1


@pytest.mark.parametrize("offset", [0, 1, 17, 59])
def test_one_matrix_shifts_every_position_of_the_table(offset: int) -> None:
    shift = positions.shift(TABLE, offset, 2)
    assert len(shift.before) == 60 - offset
    assert shift.max_error < 1e-6
    np.testing.assert_allclose(shift.before @ shift.block.T, shift.turned, atol=1e-9)
    np.testing.assert_array_equal(shift.after, TABLE[offset:, 4:6].astype(np.float64))
    np.testing.assert_allclose(np.linalg.det(shift.block), 1)


def test_the_error_shows_a_table_that_is_not_sinusoidal() -> None:
    spoilt = TABLE.copy()
    spoilt[40, 30] += 0.25
    assert positions.shift(spoilt, 3, 0).max_error == pytest.approx(0.25, rel=0.1)


def test_points_spread_over_the_circle_and_stay_in_the_table() -> None:
    fast, slow = positions.round_the_circle(TABLE, 5, 0), positions.round_the_circle(TABLE, 5, 15)
    assert fast == sorted(set(fast))
    assert max(fast) <= 0.75 * positions.wavelengths(32)[0] + 1
    assert max(slow) == 54


def test_similarity_depends_on_the_distance_alone() -> None:
    dot, cosine = positions.similarity(TABLE), positions.similarity(TABLE, "cosine")
    np.testing.assert_allclose(np.diag(dot), 16, rtol=1e-5)
    np.testing.assert_allclose(dot / 16, cosine, atol=1e-5)
    np.testing.assert_allclose(np.diag(dot, 7), dot[0, 7], rtol=1e-4)
    assert dot[0, 1] > dot[0, 9]


def test_the_block_is_written_with_its_numbers() -> None:
    formula = positions.block_formula(np.array([[0.5, 0.25], [-0.25, 0.5]]))
    assert "+0.5000 & +0.2500" in formula
    assert "-0.2500 & +0.5000" in formula


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="offset must be from 0 to 59, got 60"):
        positions.shift(TABLE, 60, 0)
    with pytest.raises(ValueError, match="pair must be from 0 to 15, got 16"):
        positions.shift(TABLE, 1, 16)
    with pytest.raises(ValueError, match="dot, cosine"):
        positions.similarity(TABLE, "euclid")
