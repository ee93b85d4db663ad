"""Where the picture is: in every mode, in both languages, in a window of 1280 × 720."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from bench.browser import VIEWPORT
from tests.browser.reading import BOX, settle, type_sentence
from viz.core.text import LANGUAGES
from viz.core.views import SECTIONS

HIGHEST = 150  # pixels from the top
FIRST = {section: names[0] for section, names in SECTIONS.items()}
# The first of what a view shows below the line of its pickers.
_PICTURE = """() => {
  const line = document.querySelector('.st-key-hl_bar').getBoundingClientRect().bottom;
  const shown = [...document.querySelectorAll('[data-testid="stElementContainer"]')]
    .map(each => each.getBoundingClientRect())
    .filter(box => box.width > 100 && box.height > 8 && box.top >= line - 1);
  return {top: Math.min(...shown.map(box => box.top)), line, width: document.documentElement.scrollWidth};
}"""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("view", FIRST.values(), ids=list(FIRST))
def test_the_picture_begins_high_and_nothing_is_wider_than_the_window(visit, view: str, language: str) -> None:
    page = visit("" if view == "translate" else view, lang=language)
    found = page.evaluate(_PICTURE)
    assert found["top"] <= HIGHEST + 4
    assert found["line"] <= HIGHEST
    assert found["width"] <= VIEWPORT["width"]


def test_a_picture_that_begins_low_is_seen(visit) -> None:
    page = visit("flow")
    page.evaluate("document.querySelector('.st-key-hl_bar').style.marginTop = '80px'")
    assert page.evaluate(_PICTURE)["top"] > HIGHEST


def test_a_click_on_a_token_is_in_the_link_and_in_every_view(visit, reopen) -> None:
    page = visit("flow")
    tokens = page.locator(".sentence-chips .tgt button")
    tokens.nth(3).click()
    settle(page)
    assert "step=4" in page.url
    page.get_by_role("link", name="Logit lens").click()
    settle(page)
    assert "step=4" in page.url
    assert page.locator(".sentence-chips .tgt [aria-pressed=true]").inner_text() == tokens.nth(3).inner_text()
    other = reopen(page)
    assert other.locator(".sentence-chips .tgt [aria-pressed=true]").inner_text() == tokens.nth(3).inner_text()


def test_choices_stay_in_the_link_from_view_to_view(visit) -> None:
    page: Page = visit("lens", words=True, special=True, layer=2, head=3)
    for mode in ("Decode", "Read", "Layers"):
        page.get_by_role("link", name=mode, exact=True).click()
        settle(page)
        assert all(part in page.url for part in ("words=true", "special=true", "layer=2", "head=3"))


def test_a_mode_opens_on_the_view_of_it_that_was_looked_at_last(visit) -> None:
    page = visit("lens")
    page.get_by_role("link", name="Learn", exact=True).click()
    settle(page)
    page.get_by_role("link", name="Layers", exact=True).click()
    settle(page)
    assert "/lens" in page.url


def test_back_goes_to_the_sentence_before(visit) -> None:
    page = visit("flow")
    first = page.input_value(BOX)
    type_sentence(page, "I love you.")
    type_sentence(page, "You love me.")
    page.go_back()
    settle(page)
    assert page.input_value(BOX) == "I love you."
    page.go_back()
    settle(page)
    assert page.input_value(BOX) == first
    assert page.locator(".sentence-chips .tgt button").count() > 3


def test_pictures_follow_a_look_that_changes_while_the_page_is_open(visit) -> None:
    page: Page = visit("lessons", lesson="5", show="rotation")
    inks = "[...document.querySelectorAll('.js-plotly-plot text')].map(text => getComputedStyle(text).fill)"
    light = page.evaluate(inks)[0]
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"light => {inks}.length && !{inks}.includes(light)", arg=light)
    page.emulate_media(color_scheme="light")
    page.wait_for_function(f"light => {inks}.includes(light)", arg=light)
    assert page.locator(".js-plotly-plot text").first.is_visible()
