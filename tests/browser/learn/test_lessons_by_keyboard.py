"""Lessons by keyboard alone: what they are made of can be reached, is seen to be reached, and does its work."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.reading import settle
from tests.pages import shipped

pytestmark = shipped
MOST_TABS, LONGEST = 70, 150
# The focused element, within components too: its name, and where it stands.
FOCUSED = """() => { let found = document.activeElement;
  while (found.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
  window.focused = found;
  const { x, y, width, height } = found.getBoundingClientRect();
  return { name: found.getAttribute("aria-label") || found.innerText || found.type || "", x, y, width, height }; }"""
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
    found = page.evaluate(FOCUSED)
    for _ in range(20):
        page.wait_for_timeout(200)
        before, found = found, page.evaluate(FOCUSED)
        if before == found:
            break
    return found


def is_seen(page: Page) -> bool:
    """Whether a picture of the focused element and its surroundings is another without the focus."""
    at = at_rest(page)
    around = {"x": max(0, at["x"] - 24), "y": max(0, at["y"] - 24)}
    clip = {**around, "width": min(at["width"] + 48, 600), "height": min(at["height"] + 48, 720 - around["y"])}
    page.wait_for_timeout(300)  # its ring grows
    shots = [page.screenshot(clip=clip)]
    page.evaluate("window.focused.blur()")
    page.wait_for_timeout(300)
    shots.append(page.screenshot(clip=clip))
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
