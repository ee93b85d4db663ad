"""What is read off a saved page."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
from playwright.sync_api import Page

from tests.browser.reading import shade
from viz.core.theme import LIGHT

HOSTILE = "<img src=x onerror=alert(1)>"


def title(page: Page) -> str:
    return page.locator(".panel-title").first.text_content() or ""


def link(page: Page) -> str:
    page.wait_for_selector("#viewer:not([data-link=late])")
    return page.url.partition("#")[2]


def pictured(page: Page) -> list[str]:
    """Colours of the cells in the SVG that the page saves."""
    with page.expect_download() as waiting:
        # In the app it is out of sight: “Take away” has it.
        page.locator('.tools [value="picture"]', has_text="SVG").dispatch_event("click")
    root = ET.fromstring(waiting.value.path().read_bytes())
    fills = [each.get("fill", "") for each in root.iter("{http://www.w3.org/2000/svg}rect")]
    return [fill for fill in fills if fill.startswith("rgb")]


def colours(page: Page) -> np.ndarray:
    """Of the cells in that SVG, [cell, 3]."""
    return np.array([[int(part) for part in re.findall(r"\d+", fill)] for fill in pictured(page)])


def coloured(values: np.ndarray) -> np.ndarray:
    return np.array([shade(value, LIGHT.scale) for value in values.ravel()])


def now(page: Page) -> tuple[str, str]:
    """The scene's title, and the title of the map that is seen."""
    seen = page.locator(".talk-stage > .viewer:not([inert]) .panel-title")
    return page.locator(".talk-top h1").text_content() or "", seen.first.text_content() or "" if seen.count() else ""
