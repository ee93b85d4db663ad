"""Patching in a browser: what is clicked is carried, and the link restores it."""

from __future__ import annotations

import re

TEXT, OTHER = "I like red apples.", "I do not like red apples."
CELLS = ".st-key-carried_states .js-plotly-plot .nsewdrag"


def test_a_cell_and_a_head_are_carried_by_a_click_and_the_link_restores_them(visit, reopen):
    page = visit("patching", text=TEXT, other=OTHER)
    page.wait_for_selector(CELLS)
    box = page.locator(CELLS).first.bounding_box()
    place = box["x"] + 1.5 * box["width"] / 6, box["y"] + 2.5 * box["height"] / 7
    page.mouse.move(*place)
    page.mouse.click(*place)
    page.wait_for_url(re.compile("carry=s4.1"))
    page.get_by_text("carrying source “like” after L3").wait_for()
    reopen(page).get_by_text("carrying source “like” after L3").wait_for()
    page.locator('.head-board .cell[data-kind="cross"][data-layer="2"][data-head="3"]').click()
    page.wait_for_url(re.compile("carry=c2.3"))
    page.get_by_text(re.compile(r"carrying Cross L2\sH3")).wait_for()


def test_a_card_shows_its_head_of_both_sentences(visit, reopen):
    page = visit("compare", text=TEXT, other=OTHER)
    card = page.locator(".head-list .card").nth(1)
    place = "".join(f'[data-{name}="{card.get_attribute(f"data-{name}")}"]' for name in ("kind", "layer", "head"))
    card.click()
    page.wait_for_selector(f".head-list .card.selected{place}")
    reopen(page).wait_for_selector(f".head-list .card.selected{place}")
