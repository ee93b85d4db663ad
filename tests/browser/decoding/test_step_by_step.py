"""Playback by keyboard and by mouse: what is drawn at a step is what the model computed for it."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page

from model.analysis.what_if.fork import Step, decoding_steps
from model.trace import Translation
from model.translator import Translator
from tests.browser.reading import BOX, type_sentence

SENTENCE = "The red car is too long for the street."
LAYER, HEAD = 1, 2
METHOD_NAMES = """() => {
  const root = document.querySelector('[data-component="playback"]') ?? [...document.querySelectorAll('*')]
    .map(e => e.shadowRoot?.querySelector('[data-component="playback"]')).find(Boolean);
  const shown = name => [...root.querySelectorAll(`[data-row="${name}"] li:not([hidden])`)];
  return {
    step: +root.dataset.step,
    written: [...root.querySelectorAll('.written button:not(.ahead)')].map(e => e.textContent),
    now: root.querySelector('.written .now').textContent,
    cross: shown('cross').map(e => +e.dataset.weight),
    own: shown('own').map(e => +e.dataset.weight),
    candidates: [...root.querySelectorAll('.candidates li:not(.rest)')].map(
      e => [e.querySelector('.text').textContent, +e.dataset.probability, e.classList.contains('chosen')]),
    inputs: root.querySelector('.inputs').innerText,
  };
}"""


@pytest.fixture(scope="module")
def made(en_zh: Translator) -> Translation:
    return en_zh.translate(SENTENCE, capture=True)


@pytest.fixture(scope="module")
def steps(en_zh: Translator, made: Translation) -> list[Step]:
    return decoding_steps(en_zh, SENTENCE, made.tgt_ids)


@pytest.fixture
def player(visit: Callable[..., Page]) -> Callable[..., Page]:
    def opened(**query: object) -> Page:
        page = visit("step_by_step", **{"text": SENTENCE, "layer": LAYER, "head": HEAD, **query})
        page.wait_for_selector('[data-component="playback"]')
        return page

    return opened


def assert_drawn(page: Page, step: int, made: Translation, steps: list[Step]) -> None:
    """What stands there is the model's own, for a step counted from 1."""
    method, row = page.evaluate(METHOD_NAMES), step - 1
    assert method["step"] == step
    assert method["written"] == [label.text.removeprefix("##") for label in made.trace.tgt_outputs[:step]]
    assert method["now"] == method["written"][-1]
    np.testing.assert_allclose(method["cross"], made.trace.map("cross", LAYER, HEAD)[row], atol=2e-4)
    np.testing.assert_allclose(method["own"], made.trace.map("decoder_self", LAYER, HEAD)[row, :step], atol=2e-4)
    best = [candidate.probability for candidate in steps[row].candidates]
    assert [share for _, share, _ in method["candidates"]][:5] == pytest.approx(best, abs=2e-4)
    chosen = [share for _, share, is_written in method["candidates"] if is_written]
    assert chosen == [pytest.approx(steps[row].written.probability, abs=2e-4)]


def test_arrow_keys_step_and_every_number_is_the_models(player, made, steps) -> None:
    page = player()
    assert_drawn(page, 1, made, steps)
    for step in range(2, len(steps) + 1):
        page.keyboard.press("ArrowRight")
        assert_drawn(page, step, made, steps)
    page.keyboard.press("ArrowRight")  # there is nothing beyond <eos>
    assert_drawn(page, len(steps), made, steps)
    page.keyboard.press("ArrowLeft")
    assert_drawn(page, len(steps) - 1, made, steps)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    assert_drawn(page, 1, made, steps)
    other = made.trace.map("cross", LAYER, HEAD)[1]
    assert np.abs(np.array(page.evaluate(METHOD_NAMES)["cross"]) - other).max() > 1e-3


def test_the_step_travels_in_the_link(player, made, steps, reopen, wait_idle) -> None:
    page = player()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"[?&]step=4(&|$)"))
    wait_idle(page)
    assert_drawn(page, 4, made, steps)
    other = reopen(page)
    other.wait_for_selector('[data-component="playback"]')
    assert_drawn(other, 4, made, steps)


@pytest.mark.parametrize("step", ["0", "999", "x"])
def test_a_step_that_does_not_exist_opens_the_first(player, made, steps, step) -> None:
    assert_drawn(player(step=step), 1, made, steps)


def test_buttons_scrubber_and_written_tokens(player, made, steps) -> None:
    page = player(step=2)
    page.get_by_role("button", name="One step on (→)").click()
    assert_drawn(page, 3, made, steps)
    page.locator('[data-component="playback"] .written button').nth(0).click()
    assert_drawn(page, 1, made, steps)
    page.get_by_role("slider", name="Step").fill("5")
    assert_drawn(page, 5, made, steps)
    page.get_by_role("slider", name="Step").press("ArrowRight")  # once, not twice
    assert_drawn(page, 6, made, steps)


def test_play_runs_to_the_end_and_stops(player, made, steps, wait_idle) -> None:
    page = player(step=len(steps) - 1)
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("button", name="Pause").wait_for()
    page.locator(f'[data-component="playback"][data-step="{len(steps)}"]').wait_for()
    page.get_by_role("button", name="Play", exact=True).wait_for()
    assert_drawn(page, len(steps), made, steps)
    page.wait_for_url(re.compile(rf"[?&]step={len(steps)}(&|$)"))


def test_arrows_in_the_sentence_box_move_its_cursor_only(player, made, steps) -> None:
    page = player(step=3)
    page.locator(BOX).click()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    assert_drawn(page, 3, made, steps)


def test_what_goes_in_names_its_sizes(player, made) -> None:
    page = player(step=3)
    text = page.evaluate(METHOD_NAMES)["inputs"]
    source = len(made.trace.src)
    assert f"{source} vectors of" in text
    assert f"[{source} × " in text
    assert "[3 × " in text
    assert f"“{made.trace.tgt_inputs[2].text}”" in text


def test_another_sentence_begins_at_its_first_step(player, en_zh) -> None:
    page = player(step=4)
    type_sentence(page, "<img src=x onerror=window.pwned=1>")
    method = page.evaluate(METHOD_NAMES)
    expected = en_zh.translate("<img src=x onerror=window.pwned=1>")
    assert method["step"] == 1
    assert method["written"] == [expected.tgt[0].text]
    assert page.evaluate("window.pwned") is None
