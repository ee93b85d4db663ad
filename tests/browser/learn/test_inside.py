from __future__ import annotations

import json

import numpy as np
import pytest
from playwright.sync_api import expect

from model.analysis.residual.proof import proven_steps
from model.analysis.residual.reasons import reasons
from model.trace import HeadRef
from tests.browser.reading import PATIENCE, settle
from tests.pages import SENTENCE

HOSTILE = "<b>bold</b> </script><script>window.pwned=1</script>"
QUERY = 3
METHOD_NAMES = """() => {
  const plot = document.querySelector('.js-plotly-plot');
  return JSON.stringify(plot.calcdata.map(([first, ...rest]) => first.trace.type === 'bar'
    ? [first, ...rest].map((bar) => bar.s) : [...first.z].map((row) => [...row])));
}"""

TABLE = """() => {
  const cells = document.querySelector('.js-plotly-plot').calcdata.find(([first]) => first.trace.type === 'heatmap');
  return [...cells[0].z].map((row) => [...row]);
}"""


@pytest.fixture(scope="module")
def steps(en_zh, translation):
    return proven_steps(en_zh, SENTENCE, translation.tgt_ids, "decoder_self", 1, 2).steps


def expected(steps, step: int) -> list[np.ndarray]:
    weights, q = steps.weights[QUERY], steps.query[[QUERY]]
    masked = np.where(np.isneginf(steps.masked_scores[QUERY]), 0, steps.masked_scores[QUERY])
    return {
        1: [steps.key, q, steps.value, steps.inputs[[QUERY]]],
        2: [q * steps.key, q, steps.dots[QUERY]],
        3: [steps.dots[QUERY], steps.scores[QUERY]],
        4: [steps.scores[QUERY], masked],
        5: [masked, weights],
        6: [weights, weights[:, None] * steps.value, steps.gathered[[QUERY]], steps.projected[[QUERY]]],
    }[step]


def wait_for_step(page, step: int) -> None:
    page.wait_for_function(
        "(step) => [...document.querySelectorAll('.st-key-pick_inside input')]"
        ".some((box) => box.value.startsWith(`${step} `))",
        arg=step,
    )
    settle(page)


def compare(page, steps, step: int) -> None:
    """Every number drawn is the model's."""
    method = [np.array(values, dtype=float) for values in json.loads(page.evaluate(METHOD_NAMES))]
    wanted = expected(steps, step)
    assert len(method) == len(wanted)
    by_shape = {values.shape: [] for values in wanted}
    for values in wanted:
        by_shape[values.shape].append(values)
    for values in method:  # Plotly draws cells before bars
        alike = by_shape[values.shape]
        errors = [np.abs(values - each).max() for each in alike]
        assert min(errors) < 1e-5
        alike.pop(int(np.argmin(errors)))


def test_forward_and_back_by_keyboard_every_number_is_the_model_s(visit, steps):
    page = visit("inside", text=SENTENCE, kind="decoder_self", layer=1, head=2, step=QUERY + 1)
    page.wait_for_selector(".js-plotly-plot .hm")
    page.mouse.click(5, 700)
    compare(page, steps, 1)
    for step in (2, 3, 4, 5, 6):
        page.keyboard.press("ArrowRight")
        wait_for_step(page, step)
        compare(page, steps, step)
    for step in (5, 4):
        page.keyboard.press("ArrowLeft")
        wait_for_step(page, step)
        compare(page, steps, step)
    assert "inside=4" in page.url
    assert "✓" in page.inner_text(".hl-holds")


def test_a_link_opens_step_and_query_of_another_visitor(visit, reopen):
    page = visit("inside", text=SENTENCE, kind="cross", layer=0, head=1)
    page.locator(".st-key-pick_inside input").click()
    page.get_by_role("option", name="5 Softmax").click()
    wait_for_step(page, 5)
    page.locator(".sentence-chips .tgt button").nth(2).click()
    settle(page)
    other = reopen(page)
    other.wait_for_selector(".js-plotly-plot .bars")
    assert other.evaluate(METHOD_NAMES) == page.evaluate(METHOD_NAMES)
    assert "inside=5" in page.url
    assert "step=3" in page.url


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_hostile_text_stays_text(visit, color_scheme):
    page = visit("inside", text=HOSTILE, kind="encoder_self", inside="5")
    page.wait_for_selector(".js-plotly-plot .ytick")
    assert page.evaluate("window.pwned") is None
    assert page.locator(".js-plotly-plot .ytick b, .hl-lead b").count() == 0
    assert "script" in "".join(page.locator(".js-plotly-plot .ytick").all_text_contents())


def test_a_link_opens_why_a_head_looks_there_for_a_query_and_a_key(visit, reopen, en_zh, translation):
    page = visit("inside", text=SENTENCE, inside_view="reasons", kind="decoder_self", layer=1, head=2, step=QUERY + 2)
    page.locator(".st-key-key_token input").click()
    page.get_by_role("option").nth(2).click()
    settle(page)
    found = reasons(en_zh, translation, HeadRef("decoder_self", 1, 2)).table(QUERY + 1, 1)
    for each in (page, reopen(page)):
        each.wait_for_selector(".js-plotly-plot .hm")
        method = np.array(each.evaluate(TABLE), dtype=float)
        np.testing.assert_allclose(method[:-1, :-1], found, atol=1e-6)
        assert "✓" in each.inner_text(".hl-holds")


def test_the_experiment_draws_four_charts(visit):
    page = visit("inside", text=SENTENCE, inside_view="scaling")
    expect(page.locator(".js-plotly-plot .scatterlayer .trace")).to_have_count(8, timeout=PATIENCE)
