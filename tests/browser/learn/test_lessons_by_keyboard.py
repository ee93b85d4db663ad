"""Lessons by keyboard alone: what they are made of can be reached, is seen to be reached, and does its work."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from bench.browser import VIEWPORT, address, wait_until_idle
from model.analysis.lessons.positions import position_table
from tests.browser.reading import PATIENCE, settle
from tests.browser.test_axe import Violation, violations
from tests.pages import shipped
from viz.views.lessons.page import LESSONS

pytestmark = shipped
MOST_TABS, LONGEST = 70, 150
# The focused element, within components too: its name, and where it stands.
FOCUSED = """() => { let found = document.activeElement;
  while (found.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
  window.focused = found;
  const { x, y, width, height } = found.getBoundingClientRect();
  return { name: found.getAttribute("aria-label") || found.innerText || found.type || "", x, y, width, height }; }"""
# The same, once nothing that opens or scrolls has moved it for a dozen frames.
AT_REST = f"""async () => {{ let found, same = 0;
  for (let frames = 0; frames < 300 && same < 12; frames++) {{
    await new Promise(requestAnimationFrame);
    const next = JSON.stringify(({FOCUSED})());
    same = next === found ? same + 1 : 0;
    found = next; }}
  return found; }}"""
SLIDERS = {"1": "Query: how much fruit", "3": "Number of heads", "8": "Lines in a batch", "10": "Scene"}


def tab_to(page: Page, name: str) -> None:
    """Press Tab until what has this in its name has the focus."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        found = page.evaluate(FOCUSED)["name"]
        if name in found and len(found) < LONGEST:  # the page itself, which scrolls, says everything
            return
    raise AssertionError(f"no Tab leads to “{name}”")


def at_rest(page: Page) -> dict[str, Any]:
    """Where the focused element is, once what opens or scrolls around it has come to rest."""
    found: dict[str, Any] = json.loads(page.evaluate(AT_REST))
    return found


def is_seen(page: Page) -> bool:
    """Whether a picture of the focused element and its surroundings is another without the focus."""
    at = at_rest(page)
    around = {"x": max(0, at["x"] - 24), "y": max(0, at["y"] - 24)}
    clip = {**around, "width": min(at["width"] + 48, 600), "height": min(at["height"] + 48, 720 - around["y"])}
    shots = [page.screenshot(clip=clip, animations="disabled")]  # its ring grows
    page.evaluate("window.focused.blur()")
    shots.append(page.screenshot(clip=clip, animations="disabled"))
    page.evaluate("window.focused.focus({ preventScroll: true })")
    one, other = (np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(int) for shot in shots)
    return int((np.abs(one - other).max(axis=-1) > 40).sum()) > 60


def words(page: Page) -> str:
    return " ".join(page.locator(".hl-lead, .hl-alt").all_inner_texts())


@pytest.mark.parametrize("lesson", SLIDERS)
def test_a_lesson_is_gone_through_from_its_slider_to_the_next(visit, lesson: str) -> None:
    page = visit("lessons", lesson=lesson)
    expect(page.get_by_role("slider", name=SLIDERS[lesson])).to_be_attached()
    title, said = page.locator("h3").inner_text(), words(page)
    tab_to(page, SLIDERS[lesson])
    page.keyboard.press("ArrowLeft")
    settle(page)
    assert is_seen(page)
    assert words(page) != said
    assert f"l{lesson}_" in page.url
    question = page.locator('[data-testid="stExpander"] summary').first.inner_text().splitlines()[-1]
    answer = page.locator('[data-testid="stExpanderDetails"] .hl-lead').first
    tab_to(page, question)
    expect(answer).not_to_be_visible()
    page.keyboard.press("Enter")
    expect(answer).to_be_visible()
    assert is_seen(page)
    tab_to(page, "→")
    assert is_seen(page)
    page.keyboard.press("Enter")
    settle(page)
    following = page.locator("h3").inner_text()
    assert following.startswith(f"{int(lesson) + 1} · ")
    assert following != title
    assert page.locator('[data-testid="stMain"]').evaluate("main => main.scrollTop") == 0


def test_the_list_of_lessons_is_walked_with_the_arrow_keys_and_a_view_opened_from_its_end(visit) -> None:
    page = visit("lessons", lesson="11")
    tab_to(page, "radio")
    page.keyboard.press("ArrowDown")
    settle(page)
    assert page.locator("h3").inner_text().startswith("12 · ")
    tab_to(page, "More: Trust table")
    assert is_seen(page)
    page.keyboard.press("Enter")
    page.wait_for_url("**/trust**")


def test_what_cannot_be_reached_is_told(visit) -> None:
    page = visit("lessons", lesson="7")
    with pytest.raises(AssertionError, match="no Tab leads"):
        tab_to(page, "nothing is called this")


@pytest.fixture(scope="module")
def found(browser: Browser, app_url: str) -> dict[str, tuple[list[Violation], list[float]]]:
    """By lesson, for each look: by all rules in English light, then of contrast in Chinese dark; heights."""
    seen: dict[str, tuple[list[Violation], list[float]]] = {number: ([], []) for number in LESSONS}
    page = browser.new_page(viewport=VIEWPORT)
    for theme, language, rules in (("light", "en", ()), ("dark", "zh", ("color-contrast",))):
        page.emulate_media(color_scheme=theme)
        for number in LESSONS:
            page.goto(address(app_url, "lessons", lesson=number, lang=language))
            wait_until_idle(page)
            page.locator(".st-key-lesson_back, .st-key-lesson_next").last.wait_for()
            box = page.locator(".st-key-hl_lesson").bounding_box()
            seen[number][1].append(box["y"] + box["height"] if box else 0.0)
            page.locator("details").evaluate_all("every => every.forEach((each) => { each.open = true; })")
            assert page.locator('[data-testid="stExpanderDetails"] .hl-lead:visible').count() == 2
            seen[number][0].extend(violations(page, *rules))
    page.close()
    return seen


@pytest.mark.parametrize("number", LESSONS)
def test_a_lesson_has_no_violation_of_our_making_and_fits_two_screens(found, number: str) -> None:
    violated, ends = found[number]
    assert violated == []
    assert all(0 < end <= 2 * VIEWPORT["height"] for end in ends)


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
