"""A saved page asks nobody for anything, and takes what a visitor typed as text."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from playwright.sync_api import Browser

from model.trace import TracedTranslation
from tests.viewer import fixture
from viz.export.pages import traced_page
from viz.web.page import page as page_of


def test_hostile_tokens_are_text_in_the_page(shown) -> None:
    page = shown(page_of(fixture.message(), fixture.HOSTILE, "en"))
    for key in ("l", "a", "a", "w", "s"):
        page.keyboard.press(key)
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    assert page.locator(".chips button", has_text=fixture.HOSTILE).count() == 1
    assert page.title() == fixture.HOSTILE


def test_the_page_forbids_what_is_not_its_own(shown, seen, translation: TracedTranslation) -> None:
    page = shown(traced_page(translation))
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.broken = 1'}))"
    )
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('img'), {src: 'https://example.org/x.png'}))"
    )
    assert page.evaluate("fetch('https://example.org/').then(() => 'sent', () => 'refused')") == "refused"
    page.wait_for_timeout(200)
    assert page.evaluate("window.broken") is None
    refused = "request: https://example.org/x.png"  # the browser tells of what its policy stops
    assert [line for line in seen if "Security Policy" not in line and line != refused] == []
    assert len(seen) >= 3, seen
    seen.clear()


def test_a_png_is_saved_and_chinese_pages_speak_chinese(shown, translation: TracedTranslation) -> None:
    page = shown(traced_page(translation, model="en-zh", language="zh", heads="c2.5"))
    assert page.get_by_role("button", name="连线").count() == 1
    with page.expect_download() as waiting:
        page.get_by_role("button", name=re.compile("PNG$")).click()
    content = waiting.value.path().read_bytes()
    assert content.startswith(b"\x89PNG")
    assert int.from_bytes(content[16:20], "big") > 1000
    assert waiting.value.suggested_filename == "headlight-c2.5-weights.png"


def test_a_damaged_page_says_so(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    whole = page_of(fixture.message(), "t", "en")
    path.write_text(re.sub(r'(id="message">)[^<]*', r"\1H4sIAAAA", whole), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_function("() => document.querySelector('#viewer').textContent.length > 3")
    assert "Error" in page.locator("#viewer").text_content()
    assert page.locator("#viewer[data-ready]").count() == 0
    page.close()


def test_it_works_in_a_frame_without_an_origin(browser: Browser, translation: TracedTranslation) -> None:
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: said.type == "error" and errors.append(said.text))
    given = escape(traced_page(translation, heads="c2.5").html)
    page.set_content(f'<iframe style="width:100%;height:720px" sandbox="allow-scripts" srcdoc="{given}"></iframe>')
    frame = page.frame_locator("iframe")
    frame.locator("#viewer[data-ready]").wait_for()
    frame.get_by_role("button", name="Lines").click()
    page.wait_for_timeout(400)
    assert frame.locator(".panel-title").first.text_content().startswith("Cross · L2 H5")
    assert errors == []
    page.close()
