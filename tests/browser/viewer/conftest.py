"""A saved page in Chromium, from file:// with the network off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from bench.browser import VIEWPORT
from model.translator import Translator
from tests.browser.viewer.acts import HOSTILE
from viz.export.pages import SavedPage
from viz.export.show.staged import stage
from viz.export.show.storyboard import Both, Light, Predict, Step, Storyboard, TalkScene
from viz.export.show.talk import talk_page

OPTIONS = (Both("cat"), Both("dog"), Both("bed"))


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


@pytest.fixture(scope="session")
def talk(en_zh: Translator) -> str:
    black, love = "The black cat is sleeping on the bed.", "I love you."
    steps = (Step(light=Light("爱", "love")), Step("h=c1.1"))
    note, asked = Both(f"first [click] {HOSTILE} [click] third"), Predict(Both("Which?"), OPTIONS, 2)
    scenes = (
        TalkScene(love, "我爱你。", link="h=c2.5", title=Both("One"), note=note, steps=steps, minutes=0.5),
        TalkScene(black, "黑猫在床上睡觉。", link="h=c3.0", title=Both("Two"), predict=asked),
        TalkScene(love, "我爱你。", link="v=all", title=Both("Three")),
    )
    return talk_page(stage(Storyboard(Both("Talk"), scenes, minutes=3), lambda _: en_zh), "en")


@pytest.fixture
def talk_page_open(shown, talk: str) -> Callable[..., Page]:
    return lambda link="": shown(talk, link)
