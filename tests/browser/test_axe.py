"""Every view is free of what axe-core (https://github.com/dequelabs/axe-core) calls a violation, in both looks."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Frame, Page

from bench.browser import VIEWPORT, address, wait_until_idle
from viz.core.views import VIEWS

AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
FOUND = """rules => axe.run(document, {iframes: false, resultTypes: ["violations"],
    ...(rules ? {runOnly: {type: "rule", values: rules}} : {})}).then(found =>
  found.violations.flatMap(({id, nodes}) => nodes.map(({target, html, failureSummary}) =>
    [id, target.flat().join(" "), html.slice(0, 300), failureSummary ?? ""])))"""
LOOKED_AT = list(VIEWS)
# What colours and texts decide; all the others are the same in either look.
OF_A_LOOK = (
    *("color-contrast", "link-in-text-block", "html-has-lang", "html-lang-valid", "document-title", "image-alt"),
    *("button-name", "link-name", "label", "select-name", "svg-img-alt", "frame-title", "role-img-alt"),
    *("aria-command-name", "aria-input-field-name", "aria-toggle-field-name", "aria-meter-name"),
)


class Violation(NamedTuple):
    """One element that breaks one rule."""

    rule: str
    selector: str
    html: str
    why: str


def violations(page: Page, *rules: str) -> list[Violation]:
    """Of a page and the frames in it, by all rules or by these."""

    def inside(frame: Frame) -> Iterator[Violation]:
        frame.evaluate(AXE)
        yield from (Violation(*found) for found in frame.evaluate(FOUND, list(rules) or None))

    return [found for frame in page.frames for found in inside(frame)]


@pytest.fixture(scope="module")
def found(browser: Browser, app_url: str) -> dict[str, list[Violation]]:
    """The violations of every view, in English light by all rules and in Chinese dark by those of a look."""
    seen: dict[str, list[Violation]] = {name: [] for name in LOOKED_AT}
    page = browser.new_page(viewport=VIEWPORT)
    for theme, language, rules in (("light", "en", ()), ("dark", "zh", OF_A_LOOK)):
        page.emulate_media(color_scheme=theme)
        for name in LOOKED_AT:
            page.goto(address(app_url, name, lang=language))
            wait_until_idle(page)
            seen[name] += violations(page, *rules)
    page.close()
    return seen


@pytest.mark.parametrize("view", LOOKED_AT)
def test_a_view_has_no_violation_of_our_making(found: dict[str, list[Violation]], view: str) -> None:
    assert found[view] == []


def test_violations_are_seen_in_the_page_and_in_a_frame(browser: Browser) -> None:
    page = browser.new_page()
    bad = "<button></button><p style='color: #aaa; background: #bbb'>pale</p>"
    page.set_content(f"<main>{bad}<iframe title=inner srcdoc='<html lang=en><img src=x>'></iframe></main>")
    page.frame_locator("iframe").locator("img").wait_for(state="attached")
    rules = {each.rule for each in violations(page)}
    assert {"button-name", "color-contrast", "image-alt", "html-has-lang"} <= rules
    assert {each.rule for each in violations(page, "button-name")} == {"button-name"}
    page.close()
