from __future__ import annotations

import json

import numpy as np
import pytest

from model.analysis.lessons.positions import position_table

CURVES = """() => JSON.stringify([...document.querySelectorAll('.js-plotly-plot')].map(plot =>
  plot._fullData.map(trace => ({name: trace.name, x: trace.x && [...trace.x], y: trace.y && [...trace.y]}))))"""


@pytest.fixture(scope="module")
def table(en_zh) -> np.ndarray:
    return position_table(en_zh)


def method(page) -> list[list[dict]]:
    """The traces of every chart on the page."""
    page.wait_for_selector(".js-plotly-plot .main-svg", state="attached")
    return json.loads(page.evaluate(CURVES))


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_the_curves_drawn_are_the_models_own_table(visit, table, color_scheme):
    ((*curves,),) = method(visit("positions"))
    assert [curve["name"] for curve in curves] == [f"dimension {number}" for number in (4, 5, 6, 7)]
    for number, curve in zip((4, 5, 6, 7), curves, strict=True):
        np.testing.assert_allclose(curve["y"], table[:60, number], atol=1e-6)
    assert np.abs(np.array(curves[0]["y"]) - table[:60, 5]).max() > 0.5


def test_the_turned_points_land_in_the_rings_for_a_linked_shift(visit, table):
    page = visit("positions", show="rotation", phi=7, pair=5)
    (traces,) = method(page)
    named = {trace["name"]: trace for trace in traces if "PE(" in str(trace["name"])}
    ring, computed = named["PE(t + φ), from the table"], named["M · PE(t), computed"]
    np.testing.assert_allclose(computed["x"], ring["x"], atol=1e-6)
    np.testing.assert_allclose(computed["y"], ring["y"], atol=1e-6)
    assert ring["x"][0] == pytest.approx(table[7, 11])
    assert page.locator(".katex").count() >= 1
    assert float(page.locator('[data-testid="stMetricValue"]').inner_text()) < 1e-6
