from __future__ import annotations

import numpy as np
import pytest

from tests.browser.reading import shade
from tests.pages import SENTENCE
from viz.theme import theme_named

HOSTILE = "</script><script>window.pwned=1</script> <img src=x onerror=window.pwned=1> {pair}"
PIXEL = "([canvas, x, y]) => [...canvas.getContext('2d').getImageData(x, y, 1, 1).data.slice(0, 3)]"


def opened(visit, heads: str, **query):
    page = visit("side_by_side", **{"text": SENTENCE, "heads": heads, **query})
    page.wait_for_selector(".map canvas.under[data-cell]")
    return page


def middle(page, number: int, row: float, column: float) -> tuple[float, float]:
    """Middle of a cell on a map's canvas, in CSS pixels."""
    data = page.locator(".map canvas.under").nth(number).evaluate("canvas => ({...canvas.dataset})")
    cell, left, top = (float(data[name]) for name in ("cell", "left", "top"))
    return left + (column + 0.5) * cell, top + (row + 0.5) * cell


def hover(page, number: int, row: float, column: float) -> None:
    x, y = middle(page, number, row, column)
    page.locator(".map canvas.under").nth(number).hover(position={"x": x, "y": y})


def lit(page) -> list[tuple[str, str]]:
    return [
        (o["rows"], o["columns"])
        for o in page.locator(".map canvas.over").evaluate_all("all => all.map(c => ({...c.dataset}))")
    ]


def drawn(page, number: int, shape: tuple[int, int]) -> np.ndarray:
    canvas = page.locator(".map canvas.under").nth(number).element_handle()
    places = [[middle(page, number, row, column) for column in range(shape[1])] for row in range(shape[0])]
    return np.array([[page.evaluate(PIXEL, [canvas, *place]) for place in row] for row in places])


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_every_cell_has_the_colour_of_its_weight(visit, trace, color_scheme):
    page = opened(visit, "c.1.2,d.0.3")
    for number, place in enumerate((("cross", 1, 2), ("decoder_self", 0, 3))):
        weights = trace.map(*place)
        expected = np.array([[shade(weight, theme_named(color_scheme).scale) for weight in row] for row in weights])
        assert np.abs(drawn(page, number, weights.shape) - expected).max() < 4
    assert page.locator(".map-title").all_inner_texts()[0].startswith("Cross L1 H2")


def test_the_pointed_tokens_light_up_in_every_map(visit, trace):
    page = opened(visit, "c.1.2,e.0.1,d.1.0,c.0.0")
    hover(page, 0, 2, 4)
    assert lit(page) == [("2", "4"), ("4", "4"), ("2", "2"), ("2", "4")]
    captions = page.locator(".map-caption").all_inner_texts()
    rows, columns = trace.axis_tokens("cross")
    for number, place in ((0, ("cross", 1, 2)), (3, ("cross", 0, 0))):
        assert captions[number].split() == [rows[2], "→", columns[4], f"{trace.map(*place)[2, 4]:.2f}"]
    row = trace.map("encoder_self", 0, 1)[4]
    assert f"{columns[4]} → {columns[row.argmax()]}" in captions[1]
    page.mouse.move(5, 5)
    assert set(lit(page)) == {("", "")}


def test_pointing_at_a_label_lights_that_token_alone(visit):
    page = opened(visit, "c.1.2,e.0.1,d.1.0")
    hover(page, 0, 3, -0.9)
    assert lit(page) == [("3", ""), ("", ""), ("3", "3")]
    hover(page, 0, -0.9, 1)
    assert lit(page) == [("", "1"), ("1", "1"), ("", "")]


def test_a_click_keeps_the_mark_and_the_keyboard_moves_it(visit):
    page = opened(visit, "c.1.2,e.0.1")
    x, y = middle(page, 0, 1, 2)
    page.locator(".map canvas.under").nth(0).click(position={"x": x, "y": y})
    page.mouse.move(5, 5)
    assert lit(page)[0] == ("1", "2")
    page.locator(".map").nth(0).focus()
    page.keyboard.press("ArrowRight")
    assert lit(page) == [("1", "3"), ("3", "3")]
    page.keyboard.press("Escape")
    assert lit(page)[0] == ("", "")


def test_a_difference_is_drawn_on_the_diverging_scale(visit, trace):
    page = opened(visit, "c.1.2,c.0.5", difference=True)
    assert page.locator(".map").count() == 3
    gap = trace.map("cross", 1, 2) - trace.map("cross", 0, 5)
    expected = np.array([[shade((1 + value) / 2, theme_named("light").diverging) for value in row] for row in gap])
    assert np.abs(drawn(page, 2, gap.shape) - expected).max() < 6
    assert "L1 H2 − L0 H5" in page.locator(".map-title").nth(2).inner_text()


def test_removing_a_head_changes_maps_and_link_without_a_remount(visit, wait_idle):
    page = opened(visit, "c.1.2,e.0.1,d.1.0")
    root = page.locator(".linked")
    root.evaluate("element => { element.kept = true; }")
    page.get_by_role("button", name="Remove Encoder self L0 H1").or_(
        page.locator('[data-baseweb="tag"]', has_text="Encoder self L0 H1").locator('[role="presentation"], svg').last
    ).first.click()
    page.wait_for_function("location.search.includes('heads=c1.2%2Cd1.0')")
    wait_idle(page)
    assert page.locator(".map").count() == 2
    assert root.evaluate("element => element.kept")


def test_hostile_tokens_are_literal_and_inert(visit):
    page = opened(visit, "e.0.1,c.1.2", text=HOSTILE)
    hover(page, 0, 3, 2)
    assert " → " in page.inner_text(".linked .readout")
    assert page.evaluate("window.pwned") is None
    assert page.locator(".linked img, .linked script").count() == 0
