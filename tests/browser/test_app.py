from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.reading import BOX, drawn_map, settle, type_sentence
from tests.pages import SENTENCE

HOSTILE = ["</script><script>window.pwned=1</script>", '<img src=x onerror="window.pwned=1">', "$x$ :red[y] **z**"]


def test_enter_translates_and_the_map_drawn_is_the_trace(visit, translation):
    page = visit("one_head", layer=1, head=2)
    type_sentence(page, SENTENCE)
    assert page.inner_text(".hl-translation") == translation.text
    drawn = drawn_map(page)
    np.testing.assert_allclose(np.array(drawn["z"], dtype=float), translation.trace.map("cross", 1, 2), atol=1e-5)
    assert drawn["columns"] == [label.text.replace("<", "&lt;").replace(">", "&gt;") for label in translation.trace.src]
    other = translation.trace.map("cross", 1, 3)
    assert np.abs(np.array(drawn["z"], dtype=float) - other).max() > 1e-3


def test_a_link_restores_the_view(visit, wait_idle, reopen):
    page = visit("one_head")
    type_sentence(page, SENTENCE)
    page.get_by_role("radio", name="Encoder self").click()
    wait_idle(page)
    page.get_by_text("Whole words").click()
    wait_idle(page)
    other = reopen(page)
    expect(other.locator(BOX)).to_have_value(SENTENCE)
    assert drawn_map(other) == drawn_map(page)
    assert "kind=" in page.url
    assert "words=true" in page.url


@pytest.mark.parametrize("sentence", HOSTILE)
def test_hostile_sentences_are_literal_and_inert(visit, wait_idle, sentence):
    page = visit()
    type_sentence(page, sentence)
    assert page.input_value(BOX) == sentence
    assert page.evaluate("window.pwned") is None
    page.get_by_role("link", name="One head").first.click()
    wait_idle(page)
    page.wait_for_selector(".js-plotly-plot .xtick")
    assert page.evaluate("window.pwned") is None
    labels = "".join(page.locator(".js-plotly-plot .xtick").all_text_contents())
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
    pages = [visit("one_head", visitor=new_page(), layer=0, head=0) for _ in sentences]
    for page, sentence in zip(pages, sentences, strict=True):
        page.fill(BOX, sentence)
        page.press(BOX, "Enter")
    for page, sentence in zip(pages, sentences, strict=True):
        settle(page)
        expected = en_zh.translate(sentence, capture=True)
        drawn = np.array(drawn_map(page)["z"], dtype=float)
        np.testing.assert_allclose(drawn, expected.trace.map("cross", 0, 0), atol=1e-5)


def test_keyboard_changes_head_and_layer(visit):
    page = visit("one_head", layer=1, head=2)
    page.locator(".hl-translation").click()
    page.keyboard.press("ArrowRight")
    settle(page)
    assert re.search(r"L1 H3", page.inner_text(".js-plotly-plot"))
    page.keyboard.press("ArrowDown")
    settle(page)
    assert re.search(r"L0 H3", page.inner_text(".js-plotly-plot"))


def test_checkpoint_and_device_are_always_named(visit):
    for path in ("", "masks", "about"):
        page = visit(path)
        page.wait_for_function("document.querySelector('.hl-status')?.innerText.includes(' · CPU')")
        assert "en-zh" in page.inner_text(".hl-status")
