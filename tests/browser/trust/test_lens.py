"""The logit lens in Chromium: every cell, rank and bar is the analysis, for the step that is chosen there."""

from __future__ import annotations

import json

import numpy as np
import pytest
from playwright.sync_api import expect

from model.analysis.residual.lens import lens, promoted
from tests.browser.reading import PATIENCE, settle
from tests.pages import SENTENCE

HOSTILE = "<b>bold</b> </script><script>window.pwned=1</script> {token} $x$"
CELLS = """all => all.map(({ dataset: d, textContent }) =>
  [Number(d.level), Number(d.step), textContent, Number(d.probability), Number(d.rank)])"""
NUMBERS = "all => all.map(({ dataset: d }) => [Number(d.level), Number(d.rank ?? d.place), Number(d.probability)])"
LENS_BARS = (
    """() => JSON.stringify([...(document.querySelector('.js-plotly-plot')?.calcdata ?? [[]])[0]].map(bar => bar.s))"""
)


@pytest.fixture(scope="module")
def found(en_zh, translation):
    return lens(en_zh, translation)


def shown(translator, token: int) -> str:
    return translator.tgt_tokenizer.piece(int(token)).replace("▁", " ").strip() or "␣"


def wait_for_step(page, step: int) -> None:
    expect(page.locator(".lens")).to_have_attribute("data-step", str(step), timeout=PATIENCE)


def assert_step(page, found, step: int) -> None:
    """Ranks and candidates under the grid are those of a step, from 0."""
    dots = page.eval_on_selector_all(".lens .curve circle", NUMBERS)
    assert [rank for _, rank, _ in dots] == found.ranks[:, step].tolist()
    assert [p for _, _, p in dots] == pytest.approx(found.written_probabilities[:, step], abs=1e-4)
    method = np.zeros(found.probabilities.shape[::2])
    for level, place, probability in page.eval_on_selector_all(".lens .levels td[data-level]", NUMBERS):
        method[level, place] = probability
    np.testing.assert_allclose(method, found.probabilities[:, step], atol=2e-4)


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_every_cell_is_the_lens(visit, en_zh, found):
    page = visit("lens", text=SENTENCE, step=2)
    wait_for_step(page, 2)
    cells = page.eval_on_selector_all(".lens .grid td", CELLS)
    assert len(cells) == found.ranks.size
    for level, step, token, probability, rank in cells:
        assert token == shown(en_zh, found.tokens[level, step, 0])
        assert probability == pytest.approx(found.probabilities[level, step, 0], abs=1e-4)
        assert rank == found.ranks[level, step]
    assert page.locator(".lens .grid td.same").count() == (found.ranks == 1).sum()
    assert_step(page, found, 1)


def test_a_column_or_an_arrow_key_chooses_the_step_and_its_promoted_tokens(visit, en_zh, found):
    page = visit("lens", text=SENTENCE, step=1, kind="cross", layer=1, head=2)
    wait_for_step(page, 1)
    page.locator('.lens .grid td[data-step="3"]').first.click()
    wait_for_step(page, 4)
    assert_step(page, found, 3)
    page.keyboard.press("ArrowRight")
    wait_for_step(page, 5)
    assert_step(page, found, 4)
    page.wait_for_function("() => location.search.includes('step=5')")
    settle(page)
    moved = promoted(en_zh, found, "cross", 1, 2, 4)
    expected = [change for _, change in (*moved.raised, *moved.lowered[::-1])]
    np.testing.assert_allclose(json.loads(page.evaluate(LENS_BARS)), expected, atol=1e-5)


def test_a_link_opens_its_step_for_another_visitor(visit, reopen, found):
    page = visit("lens", text=SENTENCE, step=3)
    wait_for_step(page, 3)
    page.keyboard.press("ArrowLeft")
    wait_for_step(page, 2)
    page.wait_for_function("() => location.search.includes('step=2')")
    other = reopen(page)
    wait_for_step(other, 2)
    assert_step(other, found, 1)


def test_hostile_text_is_text_and_an_encoder_head_has_no_bars(visit):
    page = visit("lens", text=HOSTILE, kind="encoder_self")
    page.wait_for_selector(".lens .grid td")
    assert page.evaluate("window.pwned") is None
    assert page.locator(".lens b, .lens img").count() == 0
    assert page.locator(".js-plotly-plot").count() == 0
