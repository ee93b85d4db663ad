from __future__ import annotations

import numpy as np
import pytest

from model.analysis.heads.patterns import GRID, match_painted
from model.trace import KINDS
from model.translator import Translator
from tests.browser.reading import head_title
from viz.core.codes.mix import parse_pattern, pattern_code

WORD = "headlight"
HOSTILE_CELL = "</script><script>window.pwned=1</script> <img src=x onerror=window.pwned=1> {cell} $x$"


@pytest.fixture(scope="module")
def trace():
    return Translator.from_checkpoint("reverse", "cpu").translate(WORD, capture=True).trace


def opened(visit, **query):
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
    page = opened(visit, by="painted")
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
    page = opened(visit, by="painted")
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
    page = opened(visit, by="anti_diagonal")
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
    page = opened(visit, by="painted", paint="0102040810204080")
    agrees(page, trace, parse_pattern("0102040810204080"))
    (kind, layer, head), _ = matches(page)[0]
    page.locator(".head-list").first.locator(".card").first.click()
    page.wait_for_url("**/one_head*")
    wait_idle(page)
    assert kind == "cross"
    title = head_title(page)
    assert title.startswith(f"Cross · L{layer} H{head}")


@pytest.mark.parametrize("color_scheme", ["dark"])
def test_hostile_text_stays_text(visit, color_scheme):
    page = opened(visit, checkpoint="en-zh", text=HOSTILE_CELL, by="diagonal", paint=HOSTILE_CELL)
    assert page.evaluate("window.pwned") is None
    assert page.locator(".head-list script, .head-list img").count() == 0
    assert len(matches(page)) > 0
