from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.analysis.lessons import positions
from tests.pages import array, charts, choose, prepared, shipped, words
from viz.core.models import entry_of

pytestmark = shipped


@pytest.fixture
def at() -> AppTest:
    return prepared("positions")


@pytest.fixture
def table() -> np.ndarray:
    return positions.position_table(entry_of("en-zh").opened)


def test_it_opens_on_the_curves_of_dimensions_4_to_7(at: AppTest, table: np.ndarray) -> None:
    (chart,) = charts(choose(at))
    assert [trace["name"] for trace in chart["data"]] == [f"dimension {number}" for number in (4, 5, 6, 7)]
    np.testing.assert_array_equal(array(chart["data"][1]["y"]), table[:60, 5])
    assert "Sines and cosines make every row unique" in words(at)


def test_chosen_dimensions_are_drawn_and_none_is_no_error(at: AppTest, table: np.ndarray) -> None:
    (chart,) = charts(choose(at, dims=[0, 20], span=30))
    np.testing.assert_array_equal(array(chart["data"][1]["y"]), table[:30, 20])
    assert charts(choose(at, dims=[]))[0]["data"] == []


def test_the_matrix_is_the_models_table(at: AppTest, table: np.ndarray) -> None:
    np.testing.assert_array_equal(array(charts(choose(at, show="matrix"))[0]["data"][0]["z"]), table[:200, :150])
    np.testing.assert_array_equal(array(charts(choose(at, rows=12, columns=8))[0]["data"][0]["z"]), table[:12, :8])


def test_one_dimension_stands_beside_one_position(at: AppTest, table: np.ndarray) -> None:
    column, row = charts(choose(at, show="slices", dim=9, pos=33))
    np.testing.assert_array_equal(array(column["data"][0]["y"]), table[:200, 9])
    np.testing.assert_array_equal(array(row["data"][1]["y"]), table[33, 1::2])
    assert (column["layout"]["shapes"][0]["x0"], row["layout"]["shapes"][0]["x0"]) == (33, 9)


@pytest.mark.parametrize("how", positions.SIMILARITIES)
def test_similarity_is_drawn_as_a_map_and_for_one_position(at: AppTest, table: np.ndarray, how: str) -> None:
    square, line = charts(choose(at, show="similarity", how=how, pos=7))
    expected = positions.similarity(table[:100], how)
    np.testing.assert_allclose(array(square["data"][0]["z"]), expected, rtol=1e-5)
    np.testing.assert_allclose(array(line["data"][0]["y"]), expected[7], rtol=1e-5)


@pytest.mark.parametrize(("phi", "pair"), [(0, 0), (3, 2), (100, 60)])
def test_the_computed_points_land_on_the_points_of_the_table(at: AppTest, phi: int, pair: int) -> None:
    (chart,) = charts(choose(at, show="rotation", phi=phi, pair=pair))
    names = ("PE(t + φ)", "M")
    after, turned = (
        next(trace for trace in chart["data"] if trace.get("name", "").startswith(start)) for start in names
    )
    for axis in ("x", "y"):
        np.testing.assert_allclose(array(turned[axis]), array(after[axis]), atol=1e-6)
    assert float(at.metric[0].value) < 1e-6
    assert r"\begin{pmatrix}" in at.latex[0].value
    assert f"block of M for pair {pair}" in words(at)


def test_the_same_view_runs_for_choices_beyond_the_table(at: AppTest) -> None:
    assert charts(choose(at, show="slices", dim=10**6, pos=-5))
    assert at.slider(key="pos").value == 0
