from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from playwright.sync_api import Frame, Page

from model.trace import AttentionTrace
from model.translator import Translator
from tests.browser.reading import settle
from viz.core.text import ENGLISH as STRINGS
from viz.core.theme import head_colour

SENTENCE = "The red car is too long for the street."
HOSTILE = "</script><script>window.__pwned=1</script> <img src=x onerror=window.__pwned=2> $x$ :red[y]"
MODEL_VIEW = STRINGS["lines.view.model"]
BOTH = pytest.mark.parametrize("color_scheme", ["light", "dark"])
DRAWN_HEAD = """head => Array.from(document.querySelectorAll(`.headAttention[head-index="${head}"] line`), line =>
  ["left-token-index", "right-token-index", "stroke-opacity"].map(name => +line.getAttribute(name)))"""
DRAWN_PICTURE = """id => Array.from(document.getElementById(id).parentNode.querySelectorAll("line"), line =>
  [+line.parentNode.getAttribute("source-index"), +line.getAttribute("stroke-opacity")])"""
TOKENS = "side => Array.from(document.querySelectorAll(`#${side} text`), text => text.firstChild.data)"
CONTRAST = """([element, property]) => {
  const light = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(value => value / 255)
    .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const found = document.querySelector(element);
  const pair = [getComputedStyle(found)[property], getComputedStyle(document.body).backgroundColor].map(light);
  return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
}"""


@pytest.fixture(scope="module")
def trace(en_zh: Translator) -> AttentionTrace:
    made = en_zh.translate(SENTENCE, capture=True).trace
    assert made is not None
    return made


@pytest.fixture
def lines(visit: Callable[..., Page], guard) -> Iterator[Callable[..., Frame]]:
    guard.expected.append("status of 404")  # Streamlit looks for its health below the page's own address first

    def opened(**query: object) -> Frame:
        return drawing(visit("one_head", **{"lines": "head", **query}))

    return opened


def drawing(page: Page) -> Frame:
    frame = page.locator('[data-testid="stIFrame"]').element_handle().content_frame()
    assert frame is not None
    frame.wait_for_selector("svg line", state="attached")
    return frame


@BOTH
def test_drawn_opacities_are_the_traces_weights(lines: Callable[..., Frame], trace: AttentionTrace) -> None:
    frame = lines(text=SENTENCE, kind="cross", layer=1, head=2, shift="read")
    weights = trace.map("cross", 1, 2)
    method = np.zeros_like(weights)
    found = frame.evaluate(DRAWN_HEAD, 2)
    for row, column, opacity in found:
        method[int(row), int(column)] = opacity
    assert len(found) > weights.shape[0]
    np.testing.assert_allclose(method, weights, atol=0.5 / 255 + 2e-4)
    assert not np.allclose(method, trace.map("cross", 1, 3), atol=0.01)
    rows, columns = trace.axis_tokens("cross")
    assert (frame.evaluate(TOKENS, "left"), frame.evaluate(TOKENS, "right")) == (rows, columns)
    assert frame.evaluate(CONTRAST, ["#left text", "fill"]) > 7


@BOTH
@pytest.mark.parametrize("kind", ["encoder_self", "decoder_self"])
def test_the_model_view_draws_every_head_and_opens_the_chosen_one(
    lines: Callable[..., Frame], trace: AttentionTrace, kind: str
) -> None:
    frame = lines(text=SENTENCE, kind=kind, layer=1, head=6, lines="model")
    layers, heads = trace.weights[kind].shape[:2]
    assert frame.locator(".attn_background").count() == layers * heads
    for layer, head in ((0, 0), (layers - 1, heads - 1)):
        sums = np.zeros(trace.weights[kind].shape[2])
        for row, opacity in frame.evaluate(DRAWN_PICTURE, f"attn_background_{layer}_{head}"):
            sums[row] += opacity
        steps = np.rint(trace.map(kind, layer, head) * 255) / 255
        np.testing.assert_allclose(sums, steps.sum(-1), atol=0.005)
    assert frame.locator("text.detail").text_content() == "L1 H6"
    assert frame.evaluate("document.documentElement.scrollHeight <= innerHeight")
    assert frame.evaluate(CONTRAST, ["text.token", "fill"]) > 7


@pytest.mark.parametrize("view", ["head", "model"])
def test_hostile_tokens_are_drawn_literally_and_do_nothing(lines: Callable[..., Frame], view: str) -> None:
    frame = lines(text=HOSTILE, kind="encoder_self", words=True, lines=view)
    shown = "".join(frame.locator("svg title").all_text_contents())
    for part in (
        "/script",
        "window.__pwned=1",
        "img",
        "onerror=window.__pwned=2",
        "red",
    ):
        assert part in shown
    assert frame.evaluate("window.__pwned ?? parent.__pwned ?? null") is None
    assert frame.locator("img").count() == 0
    assert frame.locator("script").count() == 5


def test_even_markup_that_slipped_in_could_neither_run_nor_fetch(lines: Callable[..., Frame], guard) -> None:
    frame = lines(text=SENTENCE)
    guard.expected += [
        "Content Security Policy",
        "policy: ",
        "http://example.org/x.png",
    ]  # asked for below, and refused
    failures = []
    frame.page.on("requestfailed", lambda request: failures.append((request.url, request.failure)))
    frame.evaluate("""() => {
      const script = document.createElement("script");
      script.textContent = "window.__pwned = 1";
      document.body.append(script);
      const image = new Image();
      const refused = new Promise((done) => image.addEventListener("error", () => done()));
      image.src = "http://example.org/x.png";
      document.body.append(image);
      return refused;
    }""")
    assert frame.evaluate("window.__pwned ?? null") is None
    assert failures == [("http://example.org/x.png", "csp")]


def test_switched_heads_survive_a_rerun_and_another_layer(
    lines: Callable[..., Frame], page: Page, wait_idle: Callable[..., None]
) -> None:
    frame = lines(text=SENTENCE, kind="cross", layer=0, head=2)
    assert shown_heads(frame) == [2]
    frame.locator('[role="checkbox"]').nth(5).click()
    assert shown_heads(frame) == [2, 5]
    frame.evaluate("window.sameDocument = true")
    page.get_by_role("button", name=STRINGS["app.translate"]).click()
    wait_idle(page)
    assert drawing(page).evaluate("window.sameDocument")
    assert shown_heads(drawing(page)) == [2, 5]
    choose(page, "layer", "1")
    settle(page)
    assert drawing(page).evaluate("window.sameDocument ?? null") is None
    assert shown_heads(drawing(page)) == [2, 5]
    choose(page, "head", "3")
    settle(page)
    assert shown_heads(drawing(page)) == [3]


def choose(page: Page, picker: str, option: str) -> None:
    box = page.locator(f".st-key-{picker}")
    behind = box.count() == 0
    if behind:
        page.locator(".st-key-hl_head button").first.click()
    box.get_by_text(option, exact=True).click()
    if behind:
        page.keyboard.press("Escape")


def shown_heads(frame: Frame) -> list[int]:
    squares = frame.locator('[role="checkbox"]')
    checked = [squares.nth(head).get_attribute("aria-checked") for head in range(squares.count())]
    for head, on in enumerate(checked):
        visible = any(opacity > 0 for _, _, opacity in frame.evaluate(DRAWN_HEAD, head))
        assert visible == (on == "true")
        assert frame.locator(f'.headAttention[head-index="{head}"] line').first.get_attribute("stroke") == head_colour(
            head
        )
    return [head for head, on in enumerate(checked) if on == "true"]


def test_the_keyboard_switches_heads(lines: Callable[..., Frame]) -> None:
    frame = lines(text=SENTENCE, head=0)
    frame.locator('[role="checkbox"]').nth(4).focus()
    frame.page.keyboard.press("Space")
    assert shown_heads(frame) == [0, 4]


def test_sixty_tokens_are_all_drawn_and_none_is_cut_off(lines: Callable[..., Frame]) -> None:
    frame = lines(text=" ".join(["The red car is too long for the street, and"] * 6), kind="encoder_self")
    tokens = frame.evaluate(TOKENS, "left")
    assert len(tokens) > 60
    assert frame.evaluate("document.documentElement.scrollHeight <= innerHeight")
    assert frame.locator("#left text").last.evaluate("text => text.getBoundingClientRect().bottom <= innerHeight")


def test_a_link_restores_the_view(lines: Callable[..., Frame], page: Page, new_page, visit, wait_idle) -> None:
    lines(text=SENTENCE, kind="cross", layer=0, head=2)
    page.locator(".st-key-pick_lines input").click()
    page.get_by_role("option", name=MODEL_VIEW).click()
    settle(page)
    choose(page, "head", "7")
    settle(page)
    other = new_page()
    other.goto(page.url)
    wait_idle(other)
    assert drawing(other).locator("text.detail").text_content() == "L0 H7"
