from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.reading import BOX, head_title, settle, type_sentence
from tests.browser.viewer.acts import coloured, colours
from tests.pages import SENTENCE

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
