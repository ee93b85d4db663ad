"""A saved page in Chromium, from file:// with the network off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from bench.browser import VIEWPORT
from viz.viewer.saved import SavedPage


class Seen(list):
    """Requests, errors and dialogs of a page, but not the request for its own file."""


@pytest.fixture
def seen() -> Iterator[Seen]:
    seen = Seen()
    yield seen
    assert seen == []


@pytest.fixture
def shown(browser: Browser, seen: Seen, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    contexts = []

    def open_page(saved: SavedPage | str, link: str = "", scheme: str = "light", size=VIEWPORT) -> Page:
        path = tmp_path / "saved page.html"
        path.write_text(saved if isinstance(saved, str) else saved.html, encoding="utf-8")
        context = browser.new_context(viewport=size, color_scheme=scheme, offline=True, accept_downloads=True)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: _note(seen, request.url, path))
        page.on("pageerror", lambda error: seen.append(f"error: {error}"))
        page.on("console", lambda said: said.type in {"error", "warning"} and seen.append(said.text))
        page.on("dialog", lambda dialog: seen.append(f"dialog: {dialog.message}"))
        page.goto(f"{path.as_uri()}{link}")
        page.wait_for_selector(":is(#viewer, #talk)[data-ready]")
        return page

    yield open_page
    for context in contexts:
        context.close()


def _note(seen: Seen, url: str, path: Path) -> None:
    if url.split("#", maxsplit=1)[0] != path.as_uri() and not url.startswith(("data:", "blob:")):
        seen.append(f"request: {url}")
