"""All lessons are two screens long and, their answers open, free of what axe calls a violation, in both languages."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from bench.browser import VIEWPORT, address, wait_until_idle
from tests.browser.test_axe import Violation, violations
from tests.pages import shipped
from viz.views.lessons.page import LESSONS

pytestmark = shipped


@pytest.fixture(scope="module")
def found(browser: Browser, app_url: str) -> dict[str, tuple[list[Violation], list[float]]]:
    """By lesson, for each look: by all rules in English light, then of contrast, which alone looks change; heights."""
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
