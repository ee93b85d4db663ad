"""Back and Forward: what the visitor does is one step, whatever of it the link says, and every way leads out again."""

from __future__ import annotations

from itertools import pairwise
from urllib.parse import parse_qs, urlparse

from playwright.sync_api import Page, expect

from tests.browser.reading import BOX, PATIENCE, settle
from tests.pages import SENTENCE


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
