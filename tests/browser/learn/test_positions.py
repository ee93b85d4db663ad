from __future__ import annotations

import json

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from model.analysis.lessons.positions import position_table
from tests.browser.reading import PATIENCE
from tests.pages import shipped

pytestmark = shipped
CHART = """key => [...document.querySelectorAll(`.st-key-${key} *`)].find(each => each.shadowRoot)
  ?.shadowRoot.querySelector("[data-component]").component"""
# Of each bar: how many pixels of its colour stand over its name, in the axis's own unit.
HEIGHTS = f"""key => {{
  const chart = ({CHART})(key);
  if (!chart?.place) return null;
  const {{ canvas, place, bars: [{{ colour, values }}] }} = chart;
  const ratio = canvas.width / canvas.clientWidth, wanted = parseInt(colour.slice(1), 16);
  const [low, high] = chart.chart.y.limits;
  return Array.from(values, (_, i) => {{
    const {{ data }} = canvas.getContext("2d").getImageData(Math.round(place.xOf(i) * ratio), 0, 1, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4)
      count += (data[at] << 16) + (data[at + 1] << 8) + data[at + 2] === wanted;
    return (count / ratio / place.high) * (high - low);
  }});
}}"""


def heights(page: Page, key: str, until: str = "true") -> list[float]:
    """The bars' heights, as soon as they are as ``until`` says of ``seen``."""
    when = f"key => {{ const seen = ({HEIGHTS})(key); return seen && ({until}) && seen; }}"
    found: list[float] = page.wait_for_function(when, arg=key, timeout=PATIENCE).json_value()
    return found


def test_bars_are_as_high_as_the_weights_and_follow_the_slider(visit) -> None:
    page = visit("lessons", lesson="1", l1_fruit=0.0, l1_furniture=0.0)
    assert heights(page, "lesson_1_soft") == pytest.approx([1 / 3] * 3, abs=0.01)
    page.locator(".st-key-l1_furniture input[type=range]").focus()
    page.keyboard.press("End")
    assert heights(page, "lesson_1_soft", "seen[2] > 0.5") == pytest.approx([0, 0, 1], abs=0.01)
    place = page.evaluate(
        f"key => {{ const {{ place }} = ({CHART})(key); return [place.xOf(2), place.yOf(0.4)]; }}", "lesson_1_soft"
    )
    page.locator(".st-key-lesson_1_soft canvas").hover(position={"x": place[0], "y": place[1]})
    # 1 / (1 + 2 / e⁸): the query (0, 4) meets the keys with 0, 0 and 8
    expect(page.locator(".st-key-lesson_1_soft .tip")).to_have_text("chair = 2: 0.9993", timeout=PATIENCE)


TRACES = """() => JSON.stringify(document.querySelector('.js-plotly-plot')._fullData.map(
  trace => ({x: [...trace.x], y: [...trace.y]})))"""


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_the_turned_points_land_in_the_rings_for_a_linked_shift(visit, en_zh, color_scheme):
    table = position_table(en_zh)
    page = visit("lessons", lesson="5", show="rotation", l5_phi=7, l5_pair=5)
    page.wait_for_selector(".js-plotly-plot .main-svg", state="attached")
    _, ring, computed = json.loads(page.evaluate(TRACES))
    np.testing.assert_allclose(computed["x"], ring["x"], atol=1e-6)
    np.testing.assert_allclose(computed["y"], ring["y"], atol=1e-6)
    assert ring["x"][0] == pytest.approx(table[7, 11])
    assert page.locator(".katex").count() >= 2


def test_both_masks_together_are_one_click_away(visit):
    page = visit("lessons", lesson="4")
    page.get_by_role("radio", name="Both together").click()
    page.wait_for_selector(".st-key-lesson_4_both canvas")
    assert page.locator(".st-key-lesson_4_leak canvas").count() == 0
