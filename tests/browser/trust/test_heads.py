"""Heads in order and painted patterns, in Chromium."""

from __future__ import annotations

import re

import numpy as np
import pytest

from model.analysis.heads.ablation import ablate
from model.analysis.heads.patterns import GRID, match_painted
from model.trace import KINDS
from model.translator import Translator
from tests.browser.reading import head_title
from tests.pages import SENTENCE
from viz.core.codes.mix import parse_pattern, pattern_code

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
    assert f"{round(value, 2) + 0:.2f}".replace("-", "−") in page.locator(".head-board .readout").inner_text()
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


WORD = "headlight"
HOSTILE_CELL = "</script><script>window.pwned=1</script> <img src=x onerror=window.pwned=1> {cell} $x$"


@pytest.fixture(scope="module")
def trace():
    return Translator.from_checkpoint("reverse", "cpu").translate(WORD, capture=True).trace


def patterns_opened(visit, **query):
    page = visit("heads", **{"checkpoint": "reverse", "text": WORD, "shift": "written", **query})
    page.wait_for_selector(".pattern[data-serial]")
    return page


def cell(page, row: int, column: int):
    return page.locator(f'.pattern .cell[data-row="{row}"][data-column="{column}"]')


def method(page) -> np.ndarray:
    values = [float(each.get_attribute("data-value")) for each in page.locator(".pattern .cell").all()]
    return np.reshape(values, (GRID, GRID))


def matches(page) -> list[tuple[tuple[str, int, int], float]]:
    found = []
    for card in page.locator(".head-list").first.locator(".card").all():
        kind, layer, head, value = (card.get_attribute(f"data-{name}") for name in ("kind", "layer", "head", "value"))
        found.append(((kind, int(layer), int(head)), float(value)))
    return found


def agrees(page, trace, painted: np.ndarray) -> None:
    """The cards are the best matches, in order, with the analysis' own scores."""
    scores = {}
    for kind in KINDS:
        rows, columns = trace.axis_labels(kind)
        rows = trace.tgt_outputs if kind == "cross" else rows
        scores[kind] = match_painted(trace.weights[kind], painted, kind, rows, columns)
    every = sorted((float(value) for kind in KINDS for value in scores[kind].ravel()), reverse=True)
    listed = matches(page)
    assert [value for _, value in listed] == pytest.approx([value for value in every[:10] if value >= 0.005], abs=1e-3)
    for (kind, layer, head), value in listed:
        assert value == pytest.approx(float(scores[kind][layer, head]), abs=1e-3)


def test_a_pattern_painted_with_the_mouse_ranks_the_heads(visit, trace, wait_idle):
    page = patterns_opened(visit, by="painted")
    assert not method(page).any()
    for row in range(GRID):  # an anti-diagonal, cell by cell
        cell(page, row, GRID - 1 - row).click()
    painted = np.eye(GRID)[::-1]
    page.wait_for_url(f"**paint={pattern_code(painted)}*")
    wait_idle(page)
    np.testing.assert_array_equal(method(page), painted)
    agrees(page, trace, painted)
    assert [place[0] for place, _ in matches(page)[:8]] == ["cross"] * 8


def test_a_stroke_paints_every_cell_on_its_way(visit, trace, wait_idle):
    page = patterns_opened(visit, by="painted")
    for column, move in ((7, page.mouse.down), (7, page.mouse.up)):
        box = cell(page, 0 if move == page.mouse.down else 7, column).bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=30)
        move()
    painted = np.zeros((GRID, GRID))
    painted[:, 7] = 1
    page.wait_for_url(f"**paint={pattern_code(painted)}*")
    wait_idle(page)
    agrees(page, trace, painted)
    page.get_by_role("button", name="Clear").click()
    page.wait_for_function("() => !location.search.includes('paint=')")
    wait_idle(page)
    assert not method(page).any()
    assert matches(page) == []


def test_keyboard_paints_on_from_a_named_pattern(visit, trace, wait_idle):
    page = patterns_opened(visit, by="anti_diagonal")
    np.testing.assert_array_equal(method(page), np.eye(GRID)[::-1])
    cell(page, 0, 0).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    expected = np.eye(GRID)[::-1]
    expected[1, 1] = 1
    page.wait_for_url(f"**paint={pattern_code(expected)}*")
    page.wait_for_url("**by=painted*")
    wait_idle(page)
    agrees(page, trace, expected)


def test_a_link_brings_back_the_paint_and_a_card_opens_its_head(visit, trace, wait_idle):
    page = patterns_opened(visit, by="painted", paint="0102040810204080")
    agrees(page, trace, parse_pattern("0102040810204080"))
    (kind, layer, head), _ = matches(page)[0]
    page.locator(".head-list").first.locator(".card").first.click()
    page.wait_for_url("**/one_head*")
    wait_idle(page)
    assert kind == "cross"
    title = head_title(page)
    assert title.startswith(f"Cross · L{layer} H{head}")


@pytest.mark.parametrize("color_scheme", ["dark"])
def test_a_hostile_pattern_stays_text(visit, color_scheme):
    page = patterns_opened(visit, checkpoint="en-zh", text=HOSTILE_CELL, by="diagonal", paint=HOSTILE_CELL)
    assert page.evaluate("window.pwned") is None
    assert page.locator(".head-list script, .head-list img").count() == 0
    assert len(matches(page)) > 0
