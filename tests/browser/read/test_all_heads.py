from __future__ import annotations

import numpy as np
import pytest

from model.trace import KINDS
from tests.browser.reading import BOX, shade
from tests.pages import SENTENCE
from viz.components.shared.payload import coarse
from viz.theme import theme_named

HOSTILE = "</script><script>window.pwned=1</script> <img src=x onerror=window.pwned=1> {token} $x$"
PIXEL = """([root, kind, x, y]) => {
  const cell = root.querySelector(`.cell[data-kind="${kind}"]`);
  const canvas = cell.closest(".grid").querySelector("canvas");
  return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data.slice(0, 3)];
}"""


SUMS = """root => Object.fromEntries(root.component.blocks.map(({ kind, bytes, cells }) => {
  const size = bytes.length / cells.flat().length;
  const sum = (i) => bytes.subarray(i * size, (i + 1) * size).reduce((total, byte) => total + byte, 0);
  return [kind, cells.flat().map((_, i) => sum(i))];
}))"""


def opened(visit, **query):
    page = visit("all_heads", **{"text": SENTENCE, **query})
    page.wait_for_selector(".heads .cell[aria-label]")
    return page


def cell(page, kind: str, layer: int, head: int):
    return page.locator(f'.cell[data-kind="{kind}"][data-layer="{layer}"][data-head="{head}"]')


def drawn(page, kind: str, layer: int, head: int, shape: tuple[int, int]) -> np.ndarray:
    """Colours at the middle of every cell of a map, [query, key, 3]."""
    side = cell(page, kind, 0, 0).bounding_box()["width"]
    x, y = head * (side + 3), layer * (side + 3)
    root = page.locator(".heads").element_handle()
    return np.array(
        [
            [
                page.evaluate(
                    PIXEL, [root, kind, x + (key + 0.5) * side // shape[1], y + (row + 0.5) * side // shape[0]]
                )
                for key in range(shape[1])
            ]
            for row in range(shape[0])
        ]
    )


def test_every_map_is_drawn_from_its_own_weights(visit, trace):
    page = opened(visit)
    assert page.locator(".heads .cell").count() == sum(trace.weights[kind][..., 0, 0].size for kind in KINDS)
    sums = page.locator(".heads").evaluate(SUMS)
    for kind in KINDS:
        for layer, maps in enumerate(trace.weights[kind]):
            for head, weights in enumerate(maps):
                checksum = sums[kind][layer * len(maps) + head]
                assert abs(checksum - int(coarse(weights).sum())) <= 2  # two computations may round apart


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_colours_are_the_weights(visit, trace, color_scheme):
    page = opened(visit)
    weights, scale = trace.map("cross", 1, 2), theme_named(color_scheme).scale
    colours = drawn(page, "cross", 1, 2, weights.shape)
    expected = np.array([[shade(weight, scale) for weight in row] for row in weights])
    assert np.abs(colours - expected).max() < 6
    other = np.array([[shade(weight, scale) for weight in row] for row in trace.map("cross", 1, 3)])
    assert np.abs(colours - other).max() > 20


def test_pointing_names_the_head_and_its_strongest_pair(visit, trace):
    page = opened(visit)
    cell(page, "encoder_self", 1, 4).hover()
    weights = trace.map("encoder_self", 1, 4)
    row, column = np.unravel_index(weights.argmax(), weights.shape)
    pair = f"{trace.src[row].text} → {trace.src[column].text} {weights.max():.2f}"
    assert page.inner_text(".heads .readout") == f"Encoder self L1 H4: {pair}"
    assert page.inner_text(".preview-title") == "Encoder self L1 H4"
    assert page.inner_text(".preview-pair") == pair
    page.mouse.move(5, 5)
    assert not page.locator(".preview").is_visible()


def test_a_click_opens_that_head(visit, wait_idle):
    page = opened(visit)
    cell(page, "decoder_self", 0, 6).click()
    page.wait_for_url("**/one_head?**")
    wait_idle(page)
    page.wait_for_selector(".js-plotly-plot")
    assert "Decoder self · L0 H6" in page.inner_text(".js-plotly-plot")
    assert SENTENCE in page.input_value(BOX)


def test_the_keyboard_walks_and_opens(visit, wait_idle):
    page = opened(visit)
    cell(page, "encoder_self", 0, 0).focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    assert page.inner_text(".preview-title") == "Encoder self L1 H2"
    for _ in range(7):
        page.keyboard.press("ArrowRight")
    assert page.inner_text(".preview-title") == "Decoder self L1 H1"
    page.keyboard.press("Enter")
    page.wait_for_url("**/one_head?**")
    wait_idle(page)
    assert "Decoder self · L1 H1" in page.inner_text(".js-plotly-plot")


def test_another_scale_recolours_the_same_elements(visit, wait_idle, trace):
    page = opened(visit)
    root = page.locator(".heads")
    root.evaluate("element => { element.kept = true; }")
    flattest = np.unravel_index(trace.cross.max((2, 3)).argmin(), trace.cross.shape[:2])  # its own scale is another
    weights = trace.map("cross", *flattest)
    before = drawn(page, "cross", *flattest, weights.shape)
    page.get_by_text("Own scales").click()
    wait_idle(page)
    assert root.evaluate("element => element.kept")
    scale = theme_named("light").scale
    expected = np.array([[shade(weight / weights.max(), scale) for weight in row] for row in weights])
    after = drawn(page, "cross", *flattest, weights.shape)
    assert np.abs(after - expected).max() < 10
    assert np.abs(after - before).max() > 3


def test_hostile_tokens_are_literal_and_inert(visit):
    page = opened(visit, text=HOSTILE)
    cell(page, "encoder_self", 0, 0).hover()
    assert "→" in page.inner_text(".preview-pair")
    assert page.evaluate("window.pwned") is None
    assert page.locator(".heads img, .heads script").count() == 0
