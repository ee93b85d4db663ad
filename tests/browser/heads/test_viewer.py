"""The viewer in the app: what it draws is the trace, keys need no server, and the link and other views follow."""

from __future__ import annotations

import re
from itertools import pairwise
from urllib.parse import parse_qs, urlparse

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from bench.browser import VIEWPORT, wait_until_idle
from model.attribution.labelled_map import read
from model.attribution.methods import attribution_maps
from tests.browser.reading import BOX, PATIENCE, settle, type_sentence
from tests.browser.viewer.acts import coloured, colours, title
from tests.pages import SENTENCE

HEAD = {"text": SENTENCE, "kind": "cross", "layer": 2, "head": 5, "shift": "written"}
HOSTILE = "</script><script>window.pwned=1</script> <img src=x onerror=window.pwned=1> {token} $x$"
# The title after a key, before the page does anything else: no server stands between a key and its picture.
GREW = """([viewer, width, height]) => viewer.getBoundingClientRect().height > height
  && viewer.querySelector(".room canvas").getBoundingClientRect().width > width"""
AT_ONCE = """(root, key) => { document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  return root.querySelector(".panel-title").textContent; }"""


def opened(visit, path: str = "one_head", **query: object) -> Page:
    page = visit(path, **{**HEAD, **query})
    page.wait_for_selector("#viewer[data-ready]")
    return page


@pytest.mark.parametrize(("keys", "words", "special"), [("", False, False), ("ws", True, True)])
def test_what_is_drawn_is_the_trace(visit, trace, keys, words, special) -> None:
    page = opened(visit)
    for key in keys:
        page.keyboard.press(key)
    found = colours(page)
    reading, other = (
        read(trace.map("cross", 2, head), trace.tgt_outputs, trace.src, words, special) for head in (5, 4)
    )
    assert np.abs(found - coloured(reading.weights)).max() <= 12
    assert np.abs(found - coloured(other.weights)).max() > 60


def test_keys_change_the_picture_at_once_and_the_link_follows_in_either_language(visit, reopen) -> None:
    page = opened(visit)
    page.context.set_offline(True)  # no server stands between a key and its picture
    for key, expected in (
        ("ArrowRight", "L2 H6"),
        ("ArrowDown", "L3 H6"),
        ("4", "L3 H4"),
        ("k", "Encoder self · L3 H4"),
    ):
        page.keyboard.press(key)
        assert expected in title(page)
    page.context.set_offline(False)
    for key in ("w", "l"):
        page.keyboard.press(key)
    page.wait_for_url(re.compile("viewer=v%3Dlines"), timeout=PATIENCE)
    settle(page)
    assert {"kind=encoder_self", "layer=3", "head=4", "words=true"} <= set(page.url.partition("?")[2].split("&"))
    other = reopen(page)
    expect(other.locator(".panel-title").first).to_contain_text("Encoder self · L3 H4")
    expect(other.get_by_role("button", name="Lines")).to_have_attribute("aria-pressed", "true")
    chinese = visit(page.url.split("/", 3)[3] + "&lang=zh")
    expect(chinese.locator(".panel-title").first).to_contain_text("编码器自注意力 · L3 H4")
    expect(chinese.get_by_role("button", name="连线")).to_have_attribute("aria-pressed", "true")


def test_keys_of_a_box_of_text_are_its_own(visit) -> None:
    page = opened(visit)
    page.locator(BOX).focus()
    page.keyboard.type("walk")
    page.keyboard.press("ArrowLeft")
    assert title(page).startswith("Cross · L2 H5")
    assert page.input_value(BOX).endswith("walk")
    page.locator(".panel-title").first.click()
    page.keyboard.press("ArrowLeft")
    assert title(page).startswith("Cross · L2 H4")


def test_a_sort_that_the_model_makes_comes_once_and_is_then_as_quick(visit, en_zh, translation) -> None:
    page = opened(visit)
    sorts = page.locator(".toolbar select").first
    sorts.select_option("norms")
    expect(page.locator(".making")).to_be_hidden(timeout=PATIENCE)
    norms = attribution_maps(en_zh, translation, "norms")["cross"]
    assert np.abs(colours(page) - coloured(norms[2, 5] / norms.max())).max() <= 12
    page.wait_for_url(re.compile("method=norms"), timeout=PATIENCE)
    settle(page)
    sorts.select_option("weights")
    sorts.select_option("norms")
    assert page.locator(".making").is_hidden()
    assert np.abs(colours(page) - coloured(norms[2, 5] / norms.max())).max() <= 12


def test_another_view_keeps_head_token_and_words_and_so_does_the_way_back(visit) -> None:
    page = opened(visit)
    page.locator(".chips").nth(1).locator("button").nth(2).click()
    page.keyboard.press("w")
    page.wait_for_url(re.compile("step=3"), timeout=PATIENCE)
    settle(page)
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("head=6"), timeout=PATIENCE)
    settle(page)
    page.locator(".st-key-hl_views").get_by_role("link", name="Ranking").click()
    page.wait_for_url(re.compile("/heads.*words=true"))
    settle(page)
    assert {"head=6", "layer=2", "words=true", "step=3"} <= set(page.url.partition("?")[2].split("&"))
    page.locator(".st-key-hl_views").get_by_role("link", name="Heads").click()
    page.wait_for_selector("#viewer[data-ready]")
    settle(page)
    assert title(page).startswith("Cross · L2 H6")
    assert page.locator(".chips .pinned").count() == 1


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("view", ["map", "lines", "all"])
def test_the_picture_begins_high_and_lies_within_the_window(visit, language, view) -> None:
    page = opened(visit, lang=language, viewer=f"v={view}")
    box = page.locator("#viewer").bounding_box()
    assert box["y"] <= 131
    assert box["y"] + box["height"] <= VIEWPORT["height"]
    boxes = [canvas.bounding_box() for canvas in page.locator(".room canvas").all()]
    assert boxes
    assert all(each["y"] + each["height"] <= VIEWPORT["height"] for each in boxes)
    page.set_viewport_size({"width": 1920, "height": 1080})
    viewer = page.locator("#viewer").element_handle()
    page.wait_for_function(GREW, arg=[viewer, 1.2 * boxes[0]["width"], box["height"] + 300])


def test_a_link_opens_every_head_and_several_side_by_side(visit) -> None:
    page = opened(visit, viewer="v=all")
    assert page.locator(".room .kind canvas:first-child").count() == 3
    page = opened(visit, viewer="h=c2.5,c3.1&x=difference")
    assert [
        each.split(" ·")[-1].split("  ")[0][:6].strip() for each in page.locator(".panel-title b").all_inner_texts()
    ] == [
        "L2 H5",
        "L3 H1",
        "L2 H5",
    ]


def test_hostile_tokens_are_literal_and_inert(visit) -> None:
    page = opened(visit)
    type_sentence(page, HOSTILE)
    page.locator(".panel-title").first.click()
    for key in ("l", "a", "a", "w"):
        page.keyboard.press(key)
    assert page.evaluate("window.pwned") is None
    assert page.locator("#viewer :is(img, script)").count() == 0
    assert "<img" in (page.locator(".chips").first.text_content() or "").replace("##", "")


def test_another_sentence_keeps_what_was_chosen(visit, en_zh) -> None:
    page = opened(visit)
    page.keyboard.press("Shift+Digit3")
    page.wait_for_url(re.compile("layer=3"), timeout=PATIENCE)
    type_sentence(page, "I love you.")
    wait_until_idle(page)
    assert title(page).startswith("Cross · L3 H5")
    found = en_zh.translate("I love you.", capture=True).trace
    assert np.abs(colours(page) - coloured(found.map("cross", 3, 5))).max() <= 12


def link(page: Page) -> tuple[str, dict[str, str]]:
    """The view, and what its link says, less the sentence."""
    parts = urlparse(page.url)
    said = {name: values[0] for name, values in parse_qs(parts.query).items() if name != "text"}
    return parts.path.strip("/"), said


def go_to(page: Page, row: str, name: str) -> None:
    """By the modes, or by the views of a mode."""
    page.locator(f".st-key-hl_{row}").get_by_role("link", name=name, exact=True).click()
    settle(page)


def act(page: Page, *keys: str) -> dict[str, str]:
    """Press keys at once, as one choice; what the link then says."""
    for key in keys:
        page.keyboard.press(key)
    settle(page)
    return link(page)[1]


def test_back_undoes_one_opened_head_at_a_time_and_leads_out_of_heads(visit) -> None:
    page = visit("", text=SENTENCE)
    go_to(page, "modes", "Heads")
    page.wait_for_selector("#viewer[data-ready]")
    settle(page)
    seen = [link(page)[1], act(page, "ArrowRight"), act(page, "k", "ArrowDown", "ArrowRight", "w"), act(page, "a")]
    assert all(before != after for before, after in pairwise(seen))
    for before in reversed(seen[:-1]):
        page.go_back()
        settle(page)
        assert link(page) == ("one_head", before)
        expect(page.locator(BOX)).to_have_value(SENTENCE)
    page.go_back()
    settle(page)
    assert link(page)[0] in ("", "translate")
    expect(page.locator(BOX)).to_have_value(SENTENCE)
    expect(page.locator(".links .chip").first).to_be_visible()
    page.go_forward()
    page.wait_for_selector("#viewer[data-ready]")
    page.go_forward()
    settle(page)
    assert link(page) == ("one_head", seen[1])


def test_back_to_a_link_without_a_sentence_shows_the_one_that_it_meant(visit) -> None:
    page = visit("alignment", step=3, head=2)
    sentence, chosen = page.input_value(BOX), page.locator(".sentence-chips .token").all_inner_texts()
    go_to(page, "modes", "Decode")
    page.go_back()
    settle(page)
    assert link(page) == ("alignment", {"step": "3", "head": "2"})
    expect(page.locator(BOX)).to_have_value(sentence)
    assert page.locator(".sentence-chips .token").all_inner_texts() == chosen


def test_a_vote_that_is_clicked_is_one_step_there_and_one_back(visit) -> None:
    page = visit("fork", text=SENTENCE, step=3)
    page.locator('.head-board .cell[data-kind="cross"][data-layer="3"][data-head="2"]').click()
    page.wait_for_url("**/mixing_desk?**", timeout=PATIENCE)
    settle(page)
    page.go_back()
    settle(page)
    assert link(page) == ("fork", {"step": "3"})
    expect(page.locator('.sentence-chips .token[aria-pressed="true"]')).to_have_count(1)
    page.go_forward()
    settle(page)
    assert link(page) == ("mixing_desk", {"step": "3", "mix": "c3.2:0"})
    assert page.locator(".desk .cell.muted").count() == 1
