"""Trust and Alignment in Chromium."""

from __future__ import annotations

import re

import numpy as np
import pytest

from model.analysis.alignment.error_table import ErrorTable
from model.analysis.alignment.gold import argmax_links, link_set
from model.analysis.alignment.known_pairs import truth_pairs
from model.analysis.alignment.word_maps import ALL, pair_maps, places, translation_maps
from model.analysis.faithfulness.deletion import by_words, leave_one_out
from model.analysis.faithfulness.verdict import honesty, honesty_of_all
from model.translator import Translator
from tests.browser.reading import head_title, press, settle
from tests.pages import SENTENCE, reverse, shipped

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


HOSTILE_WORD = "</script><script>window.pwned=1</script> <img src=x onerror=window.pwned=1>"


def alignment_opened(visit, **query):
    page = visit("alignment", **{"text": SENTENCE, "layer": 1, "head": 2, "shift": "written", **query})
    page.wait_for_selector(".word-links .word, .score-grid .cell")
    return page


def lines(page) -> set[tuple[int, int]]:
    found = page.locator(".word-links path").evaluate_all("all => all.map(p => [+p.dataset.src, +p.dataset.tgt])")
    return {(src, tgt) for src, tgt in found}


def test_the_shift_switch_changes_the_links_to_those_of_the_other_row(visit, en_zh, translation):
    _, _, maps = translation_maps(en_zh, translation, ("weights",))
    written, read = (link_set(argmax_links(maps[shift, 0, places(6, 8).index((1, 2))])) for shift in (0, 1))
    page = alignment_opened(visit, shift="written")
    assert lines(page) == written
    press(page, "A word’s row", "has read it")
    assert lines(page) == read
    assert read != written
    assert "has just read it" in page.inner_text("body")


def test_pointing_at_a_word_shows_its_links_only(visit, en_zh, translation):
    src, tgt, maps = translation_maps(en_zh, translation, ("weights",))
    links = link_set(argmax_links(maps[0, 0, places(6, 8).index((1, 2))]))
    page = alignment_opened(visit)
    page.locator('.words[data-side="tgt"] .word').nth(2).hover()
    assert page.locator(".word-links path.lit").count() == sum(j == 2 for _, j in links)
    partner = next(src[i] for i, j in links if j == 2)
    assert page.inner_text(".word-links .readout") == f"{tgt[2]} ↔ {partner}"


def test_the_truth_meter_shows_every_heads_error_and_opens_the_one_that_is_clicked(visit, en_zh):
    page = alignment_opened(visit, align_view="truth", pair=3)
    pair = truth_pairs("english")[2]
    table = ErrorTable(6, 8, ("weights", "norms"))
    table.add(pair_maps(en_zh, pair, ("weights", "norms")), pair)
    names = places(6, 8)
    shown = page.locator(".score-grid .cell").evaluate_all("all => all.map(c => Number(c.dataset.here))")
    np.testing.assert_allclose(shown, 100 * table.rates[0, 0, 0, :-1], atol=0.06)
    page.locator('.score-grid .cell[data-place="4-6"]').click()
    settle(page)
    assert page.locator(".score-grid .cell.chosen").get_attribute("data-place") == "4-6"
    rate = 100 * table.rates[0, 0, 0, names.index((4, 6))]
    said = page.inner_text("body")
    setting = "attention weights · row that writes the word · strongest links"
    assert f"L4 H6 · {setting}: alignment error {rate:.0f} %" in said
    page.locator('.score-grid .cell[data-place="5-all"]').click()
    settle(page)
    page.get_by_role("combobox", name="Made of").click()
    page.get_by_role("option", name="norms", exact=True).click()
    settle(page)
    rate = 100 * table.rates[0, 0, 1, names.index((5, ALL))]
    named = "L5, all heads · norms · row that writes the word · strongest links"
    assert f"{named}: alignment error {rate:.0f} %" in page.inner_text("body")
    assert "pair=3" in page.url


def test_the_outlines_on_the_map_are_peoples_links(visit):
    page = alignment_opened(visit, align_view="truth", pair=2)
    page.wait_for_selector(".js-plotly-plot .shapelayer path")
    pair = truth_pairs("english")[1]
    assert page.locator(".js-plotly-plot .shapelayer path").count() == len(pair.possible)


def test_hostile_words_of_an_alignment_are_literal_and_inert(visit):
    page = alignment_opened(visit, text=HOSTILE_WORD)
    assert "</script>" in "".join(page.locator('.words[data-side="src"] .word').all_inner_texts())
    page.locator('.words[data-side="src"] .word').nth(1).hover()
    assert page.evaluate("window.pwned") is None
    assert page.locator(".word-links img, .word-links script").count() == 0
