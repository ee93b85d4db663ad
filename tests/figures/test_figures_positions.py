from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from model.own.network.positions import sinusoidal_table
from tests.figures.said import english
from viz.charts import positions
from viz.charts.positions import PositionText, values_line
from viz.core.theme import DARK, LIGHT
from viz.views.positions import page as rotation
from viz.views.positions.page import RotationText

rotation_circle = partial(rotation.rotation_circle, text=english(RotationText))

dimension_curves = partial(positions.dimension_curves, text=english(PositionText))
position_matrix = partial(positions.position_matrix, text=english(PositionText))
position_values = partial(positions.position_values, text=english(PositionText))
similarity_map = partial(positions.similarity_map, text=english(PositionText))

TABLE = sinusoidal_table(30, 16).numpy()


def test_curves_are_the_tables_columns_each_in_its_own_colour() -> None:
    figure = dimension_curves(TABLE, [4, 5, 6, 7], LIGHT)
    assert [trace.name for trace in figure.data] == [f"dimension {number}" for number in (4, 5, 6, 7)]
    np.testing.assert_array_equal(figure.data[2].y, TABLE[:, 6])
    assert len({trace.line.color for trace in figure.data}) == 4
    many = dimension_curves(TABLE, list(range(16)), DARK)
    assert len({(trace.line.color, trace.line.dash) for trace in many.data}) == 16


def test_the_matrix_has_positions_down_and_a_scale_from_minus_one_to_one() -> None:
    figure = position_matrix(TABLE[:20, :10], DARK)
    np.testing.assert_array_equal(figure.data[0].z, TABLE[:20, :10])
    assert (figure.data[0].zmin, figure.data[0].zmax) == (-1, 1)
    assert figure.layout.yaxis.range == (19.5, -0.5)
    assert figure.layout.yaxis.title.text == "position"


def test_one_position_draws_sines_and_cosines_apart_where_they_stand() -> None:
    figure = position_values(TABLE[7], LIGHT, mark=3)
    np.testing.assert_array_equal(figure.data[0].y, TABLE[7, ::2])
    np.testing.assert_array_equal(figure.data[1].y, TABLE[7, 1::2])
    assert [(trace.x0, trace.dx) for trace in figure.data] == [(0, 2), (1, 2)]
    assert figure.layout.shapes[0].x0 == 3


def test_a_line_is_its_values() -> None:
    figure = values_line(TABLE[:, 3], LIGHT, axis="position", value="value")
    np.testing.assert_array_equal(figure.data[0].y, TABLE[:, 3])
    assert not figure.layout.shapes


def test_similarity_keeps_its_own_scale_and_square_cells() -> None:
    values = TABLE @ TABLE.T
    figure = similarity_map(values, LIGHT)
    assert figure.data[0].zmax == pytest.approx(values.max())
    assert figure.layout.yaxis.scaleanchor == "x"


def test_on_the_circle_the_computed_points_lie_in_the_rings_from_the_table() -> None:
    before, after = TABLE[:4, 2:4], TABLE[3:7, 2:4]
    figure = rotation_circle((before, after, after), [0, 1, 2, 3], 3, 1, LIGHT)
    named = {trace.name: trace for trace in figure.data if trace.name}
    assert len(named) == 3
    np.testing.assert_array_equal(named["PE(t), from the table"].y, before[:, 0])
    np.testing.assert_array_equal(named["PE(t), from the table"].x, before[:, 1])
    assert named["M · PE(t), computed"].text[2] == "2 + 3"
    assert figure.layout.xaxis.title.text == "cosine: dimension 3"
    assert figure.layout.yaxis.scaleanchor == "x"


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="dimension 16 is not one of the table's 16"):
        dimension_curves(TABLE, [3, 16], LIGHT)
    with pytest.raises(ValueError, match=r"got shape \(30,\)"):
        position_matrix(TABLE[:, 0], LIGHT)
    with pytest.raises(ValueError, match=r"\(30, 16\), but both sides"):
        similarity_map(TABLE, LIGHT)
    with pytest.raises(ValueError, match=r"got shape \(30, 16\)"):
        values_line(TABLE, LIGHT, axis="", value="")
    with pytest.raises(ValueError, match=r"shape \(30, 16\), but 2 steps need \(2, 2\)"):
        rotation_circle((TABLE[:2, :2], TABLE[:2, :2], TABLE), [0, 1], 1, 0, LIGHT)
