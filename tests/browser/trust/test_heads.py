from __future__ import annotations

import re

import numpy as np
import pytest

from model.analysis.heads.ablation import ablate
from model.trace import KINDS
from tests.browser.reading import head_title
from tests.pages import SENTENCE

HOSTILE = "</script><script>window.pwned=1</script> <img src=x onerror=window.pwned=1> {token} $x$"


@pytest.fixture(scope="module")
def importance(en_zh, translation):
    return ablate(en_zh, translation).importance


def opened(visit, **query):
    page = visit("heads", **{"text": SENTENCE, **query})
    page.wait_for_selector(".head-list .card")
    page.wait_for_selector(".head-board .cell")
    return page


def place(locator) -> tuple[str, int, int]:
    kind, layer, head = (locator.get_attribute(f"data-{name}") for name in ("kind", "layer", "head"))
    return kind, int(layer), int(head)


def test_two_clicks_from_the_opening_screen_to_the_ten_heads(visit, importance):
    page = visit("", text=SENTENCE)
    page.locator(".st-key-hl_modes").get_by_role("link", name="Heads").click()
    page.locator(".st-key-hl_views").get_by_role("link", name="Ranking").click()
    page.wait_for_selector(".head-list .card")
    cards = page.locator(".head-list .card").all()
    assert len(cards) == 10
    costs = [float(importance[kind][layer, head]) for kind, layer, head in map(place, cards)]
    every = sorted((float(value) for kind in KINDS for value in importance[kind].ravel()), reverse=True)
    assert costs == pytest.approx(every[:10], abs=1e-3)
    for card, cost in zip(cards, costs, strict=True):
        assert f"costs {cost:.2f} nats" in card.inner_text()


def test_a_card_opens_its_head(visit, wait_idle):
    page = opened(visit)
    card = page.locator(".head-list .card").nth(3)
    kind, layer, head = place(card)
    card.hover()
    assert page.locator(".head-list .preview").is_visible()
    card.click()
    page.wait_for_url("**/one_head*")
    wait_idle(page)
    names = {"encoder_self": "Encoder self", "decoder_self": "Decoder self", "cross": "Cross"}
    title = head_title(page)
    assert title.startswith(f"{names[kind]} · L{layer} H{head}")


def test_the_board_says_what_each_head_costs(visit, importance):
    page = opened(visit)
    cell = page.locator('.head-board .cell[data-kind="cross"][data-layer="2"][data-head="2"]')
    value = float(importance["cross"][2, 2])
    assert float(cell.get_attribute("data-value")) == pytest.approx(value, abs=1e-3)
    cell.hover()
    assert f"{value:.2f}".replace("-", "−") in page.locator(".head-board .readout").inner_text()
    cell.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("one_head.*layer=1.*head=3|one_head.*head=3.*layer=1"))


def test_measure_and_scope_are_in_the_link(visit, wait_idle):
    page = opened(visit)
    page.locator(".st-key-pick_by").get_by_role("combobox").click()
    page.get_by_role("option", name="Entropy").click()
    page.wait_for_url("**by=entropy*")
    wait_idle(page)
    assert "Entropy:" in page.locator(".stMainBlockContainer").inner_text()
    page.get_by_role("radio", name="Corpus").click()
    page.wait_for_url("**scope=corpus*")
    wait_idle(page)
    assert page.locator(".head-list .card").count() == 10
    again = opened(visit, by="sink", scope="corpus")
    assert again.locator('.head-board .legend-text:has-text("percent of rows")').count() == 1


@pytest.mark.parametrize("color_scheme", ["dark"])
def test_hostile_text_stays_text(visit, color_scheme):
    page = opened(visit, text=HOSTILE)
    page.locator(".head-list .card").first.hover()
    assert page.evaluate("window.pwned") is None
    assert page.locator(".head-list script, .head-list img").count() == 0


def test_a_row_of_the_table_opens_its_head(visit, importance, wait_idle):
    page = opened(visit)
    table = page.locator(".st-key-all_heads_table").get_by_test_id("stDataFrame")
    table.scroll_into_view_if_needed()
    table.click(position={"x": 20, "y": 35 + 18})  # the box before the first row
    page.wait_for_url("**/one_head*")
    wait_idle(page)
    every = [(float(value), kind, *place) for kind in KINDS for place, value in np.ndenumerate(importance[kind])]
    layer, head = max(every)[2:]
    assert f"L{layer} H{head}" in head_title(page)
