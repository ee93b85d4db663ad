from __future__ import annotations

import time

import numpy as np
from playwright.sync_api import expect

from model.analysis.what_if.mixing import mix
from model.trace import HeadRef
from tests.browser.reading import PATIENCE, press, settle
from tests.browser.test_axe import violations
from tests.pages import SENTENCE
from viz.web.message import pack_coarse, unpack_coarse

HOSTILE = "</script><script>window.pwned=1</script> <img src=x onerror=window.pwned=1> {list}"


def opened(visit, **query):
    page = visit("", **{"text": SENTENCE, "layer": 1, "head": 2, "shift": "written", **query})
    page.wait_for_selector('.chip[data-side="src"]')
    return page


def chips(page, side: str):
    return page.locator(f'.chip[data-side="{side}"]')


def lit(page, side: str) -> list[float]:
    return [float(w) for w in chips(page, side).evaluate_all("all => all.map(c => c.dataset.weight ?? 'NaN')")]


def lights_up(page, side: str, weights: np.ndarray, coarse: bool = False) -> None:
    """The chips of a side come to show these weights, whatever answer of the server is still under way."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not same(shown := lit(page, side), weights, coarse) and time.monotonic() < deadline:
        page.wait_for_timeout(100)
    assert same(shown, weights, coarse), shown


def same(shown: list[float], weights: np.ndarray, coarse: bool = False) -> bool:
    return len(shown) == len(weights) and bool(np.allclose(shown, weights, rtol=0, atol=5e-3 if coarse else 2e-4))


def test_a_chinese_token_lights_up_what_it_attends_to(visit, translation):
    page = opened(visit)
    weights = translation.trace.map("cross", 1, 2)
    chips(page, "tgt").nth(2).hover()
    lights_up(page, "src", weights[2])
    strongest = translation.trace.src[weights[2].argmax()].text
    assert f"{strongest} {weights[2].max():.2f}" in page.inner_text(".links .readout")
    assert page.locator(".chip.strongest .text").inner_text() == strongest.removeprefix("##")


def test_an_english_token_lights_up_the_chinese_that_attend_to_it(visit, translation):
    page = opened(visit)
    chips(page, "src").nth(1).hover()
    lights_up(page, "tgt", translation.trace.map("cross", 1, 2)[:, 1])
    page.mouse.move(5, 5)
    assert np.isnan(lit(page, "tgt")).all()


def test_confidence_is_the_models_probability(visit, translation):
    page = opened(visit)
    shown = chips(page, "tgt").evaluate_all("all => all.map(c => Number(c.dataset.probability))")
    np.testing.assert_allclose(shown, np.exp(translation.log_probs), atol=2e-3)
    assert chips(page, "tgt").first.get_attribute("title") == f"confidence {round(100 * shown[0])} %"


def test_a_click_pins_and_the_keyboard_moves(visit, translation):
    page = opened(visit)
    chips(page, "tgt").nth(1).click()
    settle(page)
    page.mouse.move(5, 5)
    weights = translation.trace.map("cross", 1, 2)
    lights_up(page, "src", weights[1])
    page.keyboard.press("ArrowRight")
    lights_up(page, "src", weights[2])
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowUp")
    lights_up(page, "tgt", weights[:, 2])


def test_the_answer_follows_the_token_that_is_clicked_and_the_link_keeps_it(visit, translation):
    page = opened(visit)
    for place in (0, 4):
        chips(page, "tgt").nth(place).click()
        title = f"Which cross heads wrote {translation.tgt[place].text}?"
        page.wait_for_selector(f'.writers-title:has-text("{title}")')
        assert chips(page, "tgt").nth(place).get_attribute("aria-pressed") == "true"
        page.wait_for_function(f"() => new URL(location).searchParams.get('step') === '{place + 1}'")
    page.mouse.move(5, 5)
    lights_up(page, "src", translation.trace.map("cross", 1, 2)[4])


def test_another_head_updates_the_pinned_token_in_place(visit, translation):
    page = opened(visit)
    root = page.locator(".links")
    root.evaluate("element => { element.kept = true; }")
    chips(page, "tgt").nth(1).click()
    press(page, "Head", "5")
    assert root.evaluate("element => element.kept")
    lights_up(page, "src", translation.trace.map("cross", 1, 5)[1])


def cell(page, layer: int, head: int):
    return page.locator(f'.board .cell[data-layer="{layer}"][data-head="{head}"]')


def test_pointing_at_a_head_shows_what_it_looked_at_while_it_wrote_the_token(visit, translation):
    page = visit("", text=SENTENCE, step=6)
    cell(page, 4, 0).hover()
    weights = translation.trace.map("cross", 4, 0)[5]
    lights_up(page, "src", weights, coarse=True)
    assert page.inner_text(".links .said .readout").startswith("L4 H0. While")
    assert "Cross L4 H0: vote" in page.inner_text(".links .board .readout")
    held = unpack_coarse(pack_coarse(weights))
    assert page.locator(".curves path:not(.faint)").count() == (held >= 0.05).sum()
    page.mouse.move(5, 5)
    assert not same(lit(page, "src"), weights, coarse=True), "the faithful map is another one"


def test_a_click_mutes_a_head_and_the_chinese_changes_and_again_brings_it_back(visit, en_zh, translation):
    page = visit("", text=SENTENCE, step=6)
    assert page.locator(".links .mixed").is_hidden()
    cell(page, 4, 0).click()
    page.locator(".links .mixed").wait_for()
    settle(page)
    mixed = mix(en_zh, translation, {HeadRef("cross", 4, 0): 0.0}).mixed
    assert page.inner_text(".links .mixed-text").strip() == mixed.text
    assert "muted" in (cell(page, 4, 0).get_attribute("class") or "")
    assert "mix=c4.0%3A0" in page.url
    cell(page, 4, 0).click()
    page.locator(".links .mixed").wait_for(state="hidden")
    assert "mix=" not in page.url


def test_it_plays_the_tokens_in_the_order_in_which_they_were_written(visit):
    page = visit("", text=SENTENCE)
    later = page.locator(".chip.unwritten")
    assert later.count() == 0
    page.locator(".links .play").click()
    expect(later).not_to_have_count(0)
    first = later.count()
    assert "unwritten" in (chips(page, "tgt").last.get_attribute("class") or "")
    assert "unwritten" not in (chips(page, "tgt").first.get_attribute("class") or "")
    deadline = time.monotonic() + PATIENCE / 1000
    while later.count() >= first and time.monotonic() < deadline:
        page.wait_for_timeout(100)
    assert later.count() < first
    page.locator(".links .play").click()
    expect(later).to_have_count(0)


def test_hostile_tokens_are_literal_and_inert(visit):
    page = opened(visit, text=HOSTILE)
    texts = "".join(chips(page, "src").locator(".text").all_inner_texts())
    assert texts == HOSTILE.replace(" ", "") + "<eos>"
    chips(page, "src").nth(3).hover()
    assert page.evaluate("window.pwned") is None
    assert page.locator(".links img, .links script").count() == 0


def test_a_better_translation_is_a_click_away_its_link_opens_it_and_back_leads_to_the_models_own(visit, reopen, en_zh):
    fire = "By the time the firefighters arrived, the neighbors had put out the fire themselves."
    own, better = en_zh.translate(fire).text, en_zh.best_both_ways(fire).text
    page = visit("", text=fire)
    row = page.locator(".st-key-hl_better")
    expect(row).to_contain_text(better)
    assert violations(page, "color-contrast", "button-name") == []
    row.get_by_role("button", name="Show this one").click()
    expect(page.locator(".hl-verdict")).to_have_attribute("data-judged", "good")
    expect(row).to_have_count(0)
    other = reopen(page)
    assert "".join(chips(other, "tgt").locator(".text").all_inner_texts()) == f"{better}<eos>"
    other.get_by_role("button", name="Back to the model’s choice").click()
    expect(other.locator(".st-key-hl_better")).to_contain_text(better)
    assert "".join(chips(other, "tgt").locator(".text").all_inner_texts()) == f"{own}<eos>"
