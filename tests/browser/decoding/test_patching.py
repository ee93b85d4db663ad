"""Patching in a browser: what is clicked is carried, and the link restores it."""

from __future__ import annotations

import re

from playwright.sync_api import expect

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
