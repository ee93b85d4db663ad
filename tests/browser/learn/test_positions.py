from __future__ import annotations

import json

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from model.analysis.lessons.masks import row_steps
from model.analysis.lessons.positions import position_table
from tests.browser.reading import PATIENCE, matrices, settle
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


HOSTILE = "</script><script>window.pwned=1</script> <img src=x onerror=window.pwned=1>"


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_minus_infinity_becomes_zero_on_screen(visit, en_zh, color_scheme):
    query = {"text": "I love you.", "kind": "decoder_self", "layer": 1, "head": 2, "row": 1, "mask": "steps"}
    page = visit("masks", **query)
    scores, masked, weights = matrices(page)
    trace = en_zh.translate("I love you.", capture=True).trace
    steps = row_steps(trace, "decoder_self", 1, 2, 1)
    np.testing.assert_allclose(scores[0], steps.scores, atol=1e-3)
    np.testing.assert_allclose(weights[0], steps.weights, atol=1e-5)
    assert np.isnan(masked[0]).tolist() == np.isneginf(steps.masked).tolist()
    assert page.locator(".js-plotly-plot .textpoint", has_text="−∞").count() == np.isneginf(steps.masked).sum()


def test_typed_sentences_become_one_padded_batch_shown_literally(visit):
    page = visit("masks")
    before = matrices(page)[0]
    page.get_by_role("textbox").last.fill(f"{HOSTILE}\nHi")
    page.get_by_role("button", name="Show the masks").click()
    settle(page)
    page.wait_for_function("rows => document.querySelector('.js-plotly-plot').calcdata[0][0].z.length === rows", arg=2)
    (mask,) = matrices(page)
    assert before.shape[0] == 3
    assert mask[0].all()
    assert 0 < mask[1].sum() < mask.shape[1]
    assert page.evaluate("window.pwned") is None
    assert page.locator(".js-plotly-plot img").count() == 0


def test_nine_sentences_are_refused_in_one_sentence_and_stay(visit, wait_idle):
    page = visit("masks", batch="one\n" * 9)
    assert page.locator('[role="alert"].hl-error').inner_text().startswith("The batch has 9 sentences")
    assert page.get_by_role("textbox").last.input_value() == "one\n" * 9


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
