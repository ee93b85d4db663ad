from __future__ import annotations

import re

import numpy as np
import pytest

from model.analysis.faithfulness.deletion import by_words, leave_one_out
from model.analysis.faithfulness.verdict import honesty, honesty_of_all
from model.translator import Translator
from tests.browser.reading import head_title, press
from tests.pages import reverse, shipped

pytestmark = reverse
HOSTILE = "</script><script>window.pwned=1</script> <img src=x onerror=window.pwned=1> {token} $x$"
WORD = {"checkpoint": "reverse", "text": "headlight", "trust": "sentence"}


@pytest.fixture(scope="module")
def measured():
    translator = Translator.from_checkpoint("reverse", "cpu")
    translation = translator.translate(WORD["text"], capture=True)
    return leave_one_out(translator, translation), by_words(translation.trace.cross, translation.trace.src)


def bar(page) -> tuple[str, float]:
    method = page.locator(".hl-honesty")
    method.wait_for()
    return method.get_attribute("data-verdict"), float(method.get_attribute("data-cost"))


def opened(visit, **query):
    page = visit("trust", **{**WORD, "layer": 1, "head": 2, "shift": "written", **query})
    page.wait_for_selector(".head-board .cell")
    return page


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_the_honesty_bar_is_the_analysis_and_the_shift_switch_turns_it(visit, wait_idle, measured, color_scheme):
    page, (left_out, rows) = opened(visit), measured
    found = honesty(left_out, rows[1, 2])
    assert found.verdict == "green"
    assert bar(page) == (found.verdict, pytest.approx(found.cost, abs=1e-3))
    assert "✓" in page.inner_text(".hl-honesty")
    press(page, "A word’s row", "has read it")
    wait_idle(page)
    shifted = honesty(left_out, rows[1, 2, 1:])
    assert shifted.verdict != "green"
    page.wait_for_function(
        "verdict => document.querySelector('.hl-honesty').dataset.verdict === verdict", arg=shifted.verdict
    )
    assert bar(page)[1] == pytest.approx(shifted.cost, abs=1e-3)


def test_every_head_carries_its_cost_and_a_click_opens_it(visit, wait_idle, measured):
    page = opened(visit)
    every = honesty_of_all(*measured)
    for layer, head in np.ndindex(*every.cost.shape):
        cell = page.locator(f'.head-board .cell[data-layer="{layer}"][data-head="{head}"]')
        assert float(cell.get_attribute("data-value")) == pytest.approx(every.cost[layer, head], abs=1e-3)
        assert ("✓" in cell.inner_text()) == (every.verdict[layer, head] == "green")
    page.locator('.head-board .cell[data-layer="0"][data-head="3"]').click()
    page.wait_for_url(re.compile("/one_head"))
    wait_idle(page)
    assert "Cross · L0 H3" in head_title(page)


def test_the_table_or_one_sentence_that_says_why_there_is_none(visit):
    page = visit("trust", checkpoint="reverse", text="headlight")
    page.wait_for_selector(".js-plotly-plot, [data-table]")
    assert page.locator(".js-plotly-plot").count() + page.locator("[data-table]").count() == 1
    if page.locator(".js-plotly-plot").count():
        assert page.inner_text("#hl-winner").startswith("Begin with")
        assert not page.get_by_text("A word’s row").is_visible()


@shipped
def test_hostile_words_are_literal_and_inert(visit):
    page = opened(visit, checkpoint="en-zh", text=HOSTILE)
    assert page.evaluate("window.pwned") is None
    assert page.locator(".stMain img[src=x]").count() == 0
