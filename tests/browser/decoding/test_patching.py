"""Patching in a browser: what is clicked is carried, and the link restores it."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from model.analysis.what_if.mixing import mix
from model.analysis.what_if.repair import repairs
from tests.browser.reading import PATIENCE, settle
from tests.pages import SENTENCE
from viz.core.text import ENGLISH as STRINGS

TEXT, OTHER = "I like red apples.", "I do not like red apples."
CELLS = ".st-key-carried_states .js-plotly-plot .nsewdrag"


def test_a_cell_and_a_head_are_carried_by_a_click_and_the_link_restores_them(visit, reopen):
    page = visit("patching", text=TEXT, other=OTHER)
    page.wait_for_selector(CELLS)
    box = page.locator(CELLS).first.bounding_box()
    place = box["x"] + 1.5 * box["width"] / 6, box["y"] + 2.5 * box["height"] / 7
    page.mouse.move(*place)
    page.mouse.click(*place)
    expect(page).to_have_url(re.compile("carry=s4.1"), timeout=30_000)
    expect(page.get_by_text("carrying source “like” after L3")).to_be_visible(timeout=30_000)
    expect(reopen(page).get_by_text("carrying source “like” after L3")).to_be_visible(timeout=30_000)
    page.locator('.head-board .cell[data-kind="cross"][data-layer="2"][data-head="3"]').click()
    expect(page).to_have_url(re.compile("carry=c2.3"), timeout=30_000)
    expect(page.get_by_text(re.compile(r"carrying Cross L2\sH3"))).to_be_visible(timeout=30_000)
    expect(page.get_by_text("carrying source “like” after L3")).not_to_be_visible()


def test_a_card_shows_its_head_of_both_sentences(visit, reopen):
    page = visit("compare", text=TEXT, other=OTHER)
    card = page.locator(".head-list .card").nth(1)
    place = "".join(f'[data-{name}="{card.get_attribute(f"data-{name}")}"]' for name in ("kind", "layer", "head"))
    card.click()
    chosen = f".head-list .card.selected{place}"
    expect(page.locator(chosen)).to_be_visible(timeout=30_000)
    other = reopen(page)
    expect(other.locator(chosen)).to_be_visible(timeout=30_000)
    expect(other.locator(".head-list .card.selected")).to_have_count(1)


def test_four_clicks_find_and_mute_a_head_and_a_click_undoes_it(visit, en_zh, translation):
    page = visit("", text=SENTENCE)
    page.locator('.links .chip[data-side="tgt"]').nth(2).click()
    settle(page)
    page.get_by_text(STRINGS["quality.how"]).click()
    page.get_by_role("button", name=STRINGS["panel.open.repair"]).click()
    page.wait_for_url("**/mixing_desk?**", timeout=PATIENCE)
    page.wait_for_selector(".alone button")
    settle(page)
    found = repairs(en_zh, SENTENCE, translation.tgt_ids, 2)
    head = found.ranked()[0]
    assert head.title in page.locator(".alone button").first.inner_text().replace("\u00a0", " ")
    page.locator(".alone button").first.click()
    page.locator(".desk:not(.waiting)").wait_for()
    settle(page)
    mixed = mix(en_zh, translation, {head: 0.0}).mixed
    assert page.locator('.desk [data-row="after"] .text').all_inner_texts() == [label.text for label in mixed.tgt]
    assert "repair=1" in page.url
    assert f"mix={head.code}%3A0" in page.url
    cells = page.locator(".desk .cell.other")
    others = [each for each in found.ranked() if found.changes(each) and each != head]
    assert cells.count() == len(others)
    page.locator('.alone button[aria-pressed="true"]').click()
    settle(page)
    assert "mix=" not in page.url
    boxes = [page.locator(".desk .cell").nth(n).bounding_box() for n in (0, page.locator(".desk .cell").count() - 1)]
    assert max(box["y"] + box["height"] for box in boxes) <= 720
