"""The widget in JupyterLab and marimo, in Chromium: what is clicked is a value in Python, what Python sets is seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect, sync_playwright

from bench.browser import HOW_TO_GET, find_chromium, launch
from bench.notebook import shown_in
from headlight import show
from tests.notebook.servers import jupyter_lab, marimo_run, notebook, served
from tests.pages import shipped

pytestmark = [shipped, pytest.mark.browser]
expect.set_options(timeout=30_000)  # a kernel beside a browser may be slow
TITLE = ".headlight .panel-title b"


@pytest.fixture
def page() -> Iterator[Page]:
    """A page of a Chromium that can resolve no host but this machine."""
    with sync_playwright() as playwright:
        executable = find_chromium(playwright)
        if executable is None:
            pytest.skip(HOW_TO_GET)
        browser = launch(playwright, executable)
        yield browser.new_page(viewport={"width": 1400, "height": 1500})
        browser.close()


def open_head(page: Page, layer: int, head: int) -> None:
    """Click a head among the small maps; its cell is where the grid draws it."""
    canvas = page.locator(".headlight .rail .grid canvas").first
    box = canvas.bounding_box()
    assert box is not None
    wide, high = (box["width"] - 26) / 8, (box["height"] - 22) / 6
    canvas.click(position={"x": 26 + (head + 0.5) * wide, "y": 22 + (layer + 0.5) * high})


def test_selection_goes_both_ways_in_jupyterlab(page: Page, tmp_path: Path) -> None:
    pytest.importorskip("jupyterlab", reason="pip install jupyterlab")
    cells = [
        "import headlight\nw = headlight.show('I love you.')\nw",
        "print(w.selection)",
        "w.selection = ('c3.2', 1)",
    ]
    notebook(tmp_path / "shown.ipynb", cells)
    with served(jupyter_lab(tmp_path), tmp_path, "/api/status") as address:
        page.goto(f"{address}/lab/tree/shown.ipynb?reset")
        page.locator(".jp-CodeCell").first.click()
        page.keyboard.press("Shift+Enter")
        expect(page.locator(TITLE)).to_have_text("Cross · L0 H0", timeout=90_000)
        open_head(page, 2, 5)
        expect(page.locator(TITLE)).to_have_text("Cross · L2 H5")
        page.locator(".headlight .main .panel-title").first.click()  # the viewer has the keyboard
        page.keyboard.press("ArrowRight")
        expect(page.locator(TITLE)).to_have_text("Cross · L2 H6")
        page.keyboard.press("a")  # would make a new cell, were it JupyterLab's
        page.keyboard.press("a")
        expect(page.locator(".jp-CodeCell")).to_have_count(3)
        expect(page.locator('.headlight .viewer[data-link="said"]')).to_be_visible()
        page.locator(".jp-CodeCell .jp-InputArea-editor").nth(1).click()
        page.keyboard.press("Shift+Enter")
        output = page.locator(".jp-CodeCell").nth(1).locator(".jp-OutputArea-output")
        expect(output).to_contain_text("Selection(heads=(HeadRef(kind='cross', layer=2, head=6),))")
        page.keyboard.press("Shift+Enter")
        expect(page.locator(TITLE)).to_have_text("Cross · L3 H2")
        expect(page.locator(".headlight .chips .pinned")).to_have_count(1)


LARGE = """
import headlight, numpy as np
maps = np.zeros((4, 30, 200, 200), np.float32)
maps[..., 7] = 1.0
w = headlight.show(attentions=maps, tokens=[f"word{i}" for i in range(200)])
w
"""


def test_maps_that_are_sent_when_they_are_looked_at_arrive_in_jupyterlab(page: Page, tmp_path: Path) -> None:
    pytest.importorskip("jupyterlab", reason="pip install jupyterlab")
    notebook(tmp_path / "shown.ipynb", [LARGE])
    with served(jupyter_lab(tmp_path), tmp_path, "/api/status") as address:
        page.goto(f"{address}/lab/tree/shown.ipynb?reset")
        page.locator(".jp-CodeCell").first.click()
        page.keyboard.press("Shift+Enter")
        expect(page.locator(".headlight .panel .said")).to_contain_text("word7", timeout=90_000)
        page.locator(".headlight .main .panel-title").first.click()
        page.keyboard.press("ArrowDown")
        expect(page.locator(TITLE)).to_contain_text("L1 H0", timeout=20_000)
        expect(page.locator(".headlight .panel .said")).to_contain_text("word7")


def test_the_maps_that_an_arrow_shows_are_there_before_and_change_nothing_until_they_are_chosen(page: Page) -> None:
    maps = np.zeros((6, 20, 200, 200), np.float32)
    for layer in range(6):
        for head in range(20):
            maps[layer, head, :, 20 * layer + head] = 1.0
    widget = show(attentions=maps, tokens=[f"word{i}" for i in range(200)])
    said = page.locator(".headlight .panel .said")
    with shown_in(page, widget):
        page.wait_for_function("() => ['e0.0', 'e0.1', 'e0.19', 'e1.0', 'e5.0'].every((code) => arrived.has(code))")
        assert page.evaluate("() => arrived.size") == 5  # nothing that no arrow leads to
        expect(page.locator(TITLE)).to_contain_text("L0 H0")
        expect(said).to_contain_text("word0 1")
        page.context.set_offline(True)  # Python does not answer
        page.keyboard.press("ArrowDown")
        expect(page.locator(TITLE)).to_contain_text("L1 H0")
        expect(said).to_contain_text("word20 1")
        page.keyboard.press("5")  # a head that is not there: what is drawn stays
        expect(page.locator('.headlight .viewer[data-link="said"]')).to_be_visible()
        expect(page.locator(TITLE)).to_contain_text("L1 H0")


MARIMO = """
import marimo
app = marimo.App()

@app.cell
def _():
    import marimo as mo
    import headlight
    w = mo.ui.anywidget(headlight.show('I love you.'))
    w
    return mo, w

@app.cell
def _(mo, w):
    mo.md(f"chosen: {w.selection.head.code} {w.value['link']}")
    return

@app.cell
def _(mo, w):
    def set_head(_):
        w.selection = ("c3.2", 1)
    mo.ui.button(label="set it", on_click=set_head)
    return

if __name__ == "__main__":
    app.run()
"""


def test_selection_goes_both_ways_in_marimo(page: Page, tmp_path: Path) -> None:
    pytest.importorskip("marimo", reason="pip install marimo")
    (tmp_path / "shown.py").write_text(MARIMO, encoding="utf-8")
    with served(marimo_run("shown.py"), tmp_path, "/health") as address:
        page.goto(address)
        expect(page.locator(TITLE)).to_have_text("Cross · L0 H0", timeout=90_000)
        open_head(page, 2, 5)
        expect(page.locator(TITLE)).to_have_text("Cross · L2 H5")
        expect(page.get_by_text("chosen: c2.5")).to_be_visible()
        page.get_by_role("button", name="set it").click()
        expect(page.locator(TITLE)).to_have_text("Cross · L3 H2")
