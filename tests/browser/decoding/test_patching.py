"""Patching in a browser: what is clicked is carried, the link restores it, and the second sentence goes along."""

from __future__ import annotations

import re

TEXT, OTHER = "I like red apples.", "I do not like red apples."
CELLS = ".st-key-carried_states .js-plotly-plot"


def test_a_cell_and_a_head_are_carried_by_a_click_and_the_link_restores_them(visit, wait_idle, reopen):
    page = visit("patching", text=TEXT, other=OTHER)
    page.wait_for_selector(f"{CELLS} .nsewdrag")
    box = page.locator(f"{CELLS} .nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + 1.5 * box["width"] / 6, box["y"] + 2.5 * box["height"] / 7)
    page.mouse.click(box["x"] + 1.5 * box["width"] / 6, box["y"] + 2.5 * box["height"] / 7)
    page.wait_for_url(re.compile("carry=s4.1"))
    wait_idle(page)
    assert "source “like” after L3" in page.locator(".st-key-pick_carry").inner_text()
    again = reopen(page)
    assert "source “like” after L3" in again.locator(".st-key-pick_carry").inner_text()
    page.locator('.head-board .cell[data-kind="cross"][data-layer="2"][data-head="3"]').click()
    page.wait_for_url(re.compile("carry=c2.3"))
    wait_idle(page)
    assert re.search(r"Cross L2\sH3", page.locator(".st-key-pick_carry").inner_text())


def test_a_card_shows_its_head_of_both_sentences(visit, wait_idle, reopen):
    page = visit("compare", text=TEXT, other=OTHER)
    card = page.locator(".head-list .card").nth(1)
    kind, layer, head = (card.get_attribute(f"data-{name}") for name in ("kind", "layer", "head"))
    card.click()
    page.wait_for_function(f"() => location.search.includes('head={head}') || {head} === 0")
    wait_idle(page)
    for visitor in (page, reopen(page)):
        selected = visitor.locator(".head-list .card.selected")
        assert [selected.get_attribute(f"data-{name}") for name in ("kind", "layer", "head")] == [kind, layer, head]
        assert visitor.locator(".st-key-pair .heatmaplayer .hm").count() == 2
