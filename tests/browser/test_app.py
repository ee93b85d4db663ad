from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from bench.browser import VIEWPORT
from tests.browser.reading import BOX, head_title, settle, type_sentence
from tests.browser.viewer.acts import coloured, colours
from tests.pages import SENTENCE
from viz.core.text import LANGUAGES
from viz.core.views import SECTIONS

HOSTILE = ["</script><script>window.pwned=1</script>", '<img src=x onerror="window.pwned=1">', "$x$ :red[y] **z**"]


def test_enter_translates_and_the_map_drawn_is_the_trace(visit, translation):
    page = visit("one_head", layer=1, head=2, kind="cross", shift="written")
    type_sentence(page, SENTENCE)
    assert page.inner_text(".hl-translation") == translation.text
    method = colours(page)
    assert np.abs(method - coloured(translation.trace.map("cross", 1, 2))).max() <= 12
    assert np.abs(method - coloured(translation.trace.map("cross", 1, 3))).max() > 60
    assert page.locator(".chips").first.locator("button").all_inner_texts() == [
        label.text for label in translation.trace.src
    ]


def test_the_whole_translation_of_several_sentences_is_in_sight(visit):
    line = visit(text="I love you. You love me.").locator(".hl-translation.parts")
    expect(line).to_have_text("我爱你。你爱我。")
    box = line.bounding_box()
    assert box is not None
    assert box["height"] > 15
    assert box["width"] > 100


def test_a_link_restores_the_view(visit, reopen):
    page = visit("one_head")
    type_sentence(page, SENTENCE)
    page.get_by_role("button", name="Encoder self").click()
    page.get_by_label("Whole words").first.check()
    page.wait_for_url(re.compile("words=true"))
    settle(page)
    other = reopen(page)
    expect(other.locator(BOX)).to_have_value(SENTENCE)
    assert head_title(other) == head_title(page)
    np.testing.assert_array_equal(colours(other), colours(page))
    assert "kind=" in page.url


@pytest.mark.parametrize("sentence", HOSTILE)
def test_hostile_sentences_are_literal_and_inert(visit, wait_idle, sentence):
    page = visit()
    type_sentence(page, sentence)
    assert page.input_value(BOX) == sentence
    assert page.evaluate("window.pwned") is None
    page.locator(".st-key-hl_modes").get_by_role("link", name="Heads").click()
    wait_idle(page)
    page.wait_for_selector("#viewer[data-ready]")
    assert page.evaluate("window.pwned") is None
    labels = "".join(page.locator(".chips").first.locator("button").all_text_contents())
    assert re.sub(r"##|\s|<eos>", "", labels) == re.sub(r"\s", "", sentence)


def test_a_5000_word_paste_gets_one_sentence_and_stays(visit):
    page = visit()
    paste = "word " * 5000
    type_sentence(page, paste)
    assert "1,000" in page.inner_text('[role="alert"].hl-error')
    assert page.input_value(BOX) == paste
    type_sentence(page, "I love you.")
    assert page.locator(".hl-error").count() == 0


def test_two_visitors_at_once_get_their_own_maps(visit, new_page, en_zh):
    sentences = ["I love you.", "Thinking machines"]
    asked = {"kind": "cross", "layer": 0, "head": 0, "shift": "written"}
    pages = [visit("one_head", visitor=new_page(), **asked) for _ in sentences]
    for page, sentence in zip(pages, sentences, strict=True):
        page.fill(BOX, sentence)
        page.press(BOX, "Enter")
    for page, sentence in zip(pages, sentences, strict=True):
        settle(page)
        expected = en_zh.translate(sentence, capture=True)
        assert np.abs(colours(page) - coloured(expected.trace.map("cross", 0, 0))).max() <= 12


def test_checkpoint_and_device_are_always_named(visit):
    for path in ("", "lessons", "about"):
        page = visit(path)
        page.wait_for_function("() => document.querySelector('.hl-status')?.innerText.includes(' · CPU')")
        assert "en-zh" in page.inner_text(".hl-status")


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
