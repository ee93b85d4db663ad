"""What browser tests share: words and maps read off a page, and what a visitor does to it."""

from __future__ import annotations

import json
from contextlib import suppress

import numpy as np
from playwright.sync_api import Page, TimeoutError

from bench.browser import wait_until_idle

BOX = 'input[aria-label="English sentence"]'
PATIENCE = 30_000  # milliseconds
BEGAN = "() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState !== 'notRunning'"
_MATRICES = """() => JSON.stringify([...document.querySelectorAll('.js-plotly-plot')].flatMap(plot =>
  plot.calcdata.flat().filter(trace => trace.z).map(trace => [...trace.z].map(row => [...row]))))"""


def settle(page: Page) -> None:
    """Wait until what was just done has reached the app, which half a second is enough for, and its answer is drawn."""
    with suppress(TimeoutError):
        page.wait_for_function(BEGAN, timeout=500)
    wait_until_idle(page)


def type_sentence(page: Page, sentence: str) -> None:
    """Translate a sentence with Enter."""
    page.fill(BOX, sentence)
    page.press(BOX, "Enter")
    settle(page)


def press(page: Page, group: str, name: str) -> None:
    """Choose one of a group of buttons, behind the button of the head where it is there, and go away from it."""
    found = page.get_by_role("radiogroup", name=group)
    behind = found.count() == 0
    if behind:
        button = "hl_head" if group in ("Attention", "Layer", "Head") else "hl_display"
        page.locator(f".st-key-{button} button").first.click()
    found.get_by_role("radio", name=name).click()
    if behind:
        page.keyboard.press("Escape")
    page.mouse.move(5, 5)
    wait_until_idle(page)


def head_title(page: Page) -> str:
    """The first title in the viewer, once it is there."""
    page.wait_for_selector("#viewer[data-ready]")
    return page.locator(".panel-title").first.text_content() or ""


def matrices(page: Page) -> list[np.ndarray]:
    """The matrices that Plotly drew, in order; a blank cell is not a number."""
    page.wait_for_selector(".js-plotly-plot .heatmaplayer image", state="attached")
    return [np.array(z, dtype=float) for z in json.loads(page.evaluate(_MATRICES))]


def shade(weight: float, scale: tuple[tuple[float, str], ...]) -> np.ndarray:
    """Colour of a weight on a scale of the theme, as red, green and blue."""
    at, colours = zip(*scale, strict=True)
    channels = np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in colours])
    return np.array([np.interp(weight, at, channels[:, channel]) for channel in range(3)])
