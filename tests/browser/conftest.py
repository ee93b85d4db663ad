"""Fixtures for tests in Chromium against the real app.

``visit("lessons", text="I love you.", layer=2)`` opens a page with query parameters, waits until it is
idle, and returns it. ``page`` is the same page, not yet opened: a new tab, nothing stored, of a process
that knows Streamlit's scripts already, which saves two seconds of work a test. A test fails if its pages asked any
other host for anything, logged an error, or did what their policy forbids, or if the app failed meanwhile;
``guard.expected`` takes regular expressions for what a test provokes. ``color_scheme`` is "light"; parametrize
it with "dark". ``reopen(page)`` opens the link of a page as another visitor.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

from bench.browser import HOW_TO_GET, VIEWPORT, address, find_chromium, launch, running_app, wait_until_idle
from tests.browser.guard import Guard

# Chromium does not log every breach of a page's policy, but it always tells the page.
TELLS_OF_BREACHES = """document.addEventListener('securitypolicyviolation',
  told => console.error(`policy: ${told.effectiveDirective} ${told.blockedURI}`));"""


@pytest.fixture(scope="session")
def app_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("app") / "server.log"


@pytest.fixture(scope="session")
def app_url(app_log: Path) -> Iterator[str]:
    with app_log.open("wb") as log, running_app(log) as url:
        yield url


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    # One a module: while Playwright's loop runs in this thread, no other test could start a loop.
    with sync_playwright() as playwright:
        executable = find_chromium(playwright)
        if executable is None:
            (pytest.fail if os.environ.get("CI") else pytest.skip)(HOW_TO_GET)
        chromium = launch(playwright, executable, "--process-per-site")
        yield chromium
        chromium.close()


@pytest.fixture
def color_scheme() -> str:
    return "light"


@pytest.fixture
def guard(app_log: Path) -> Iterator[Guard]:
    guard = Guard(app_log)
    yield guard
    assert guard.problems() == []


@pytest.fixture(scope="module")
def warm(browser: Browser, app_url: str) -> Iterator[Callable[[str], BrowserContext]]:
    """By colour scheme, a context with a page that stays: while it does, so does the process of every other."""
    contexts: dict[str, BrowserContext] = {}

    def of(scheme: str) -> BrowserContext:
        if scheme not in contexts:
            contexts[scheme] = context_of(browser, scheme)
            contexts[scheme].new_page().goto(f"{app_url}/_stcore/health")
        return contexts[scheme]

    yield of
    for context in contexts.values():
        context.close()


def context_of(browser: Browser, scheme: str) -> BrowserContext:
    """A visitor's window, whose pages tell of every breach of their policy."""
    context = browser.new_context(viewport=VIEWPORT, color_scheme=scheme, accept_downloads=True)  # type: ignore[arg-type]
    context.add_init_script(TELLS_OF_BREACHES)
    return context


@pytest.fixture
def new_page(browser: Browser, guard: Guard, color_scheme: str) -> Iterator[Callable[[], Page]]:
    """A further visitor, with cookies and storage of his own."""
    contexts = []

    def new() -> Page:
        contexts.append(context_of(browser, color_scheme))
        page = contexts[-1].new_page()
        guard.watch(page)
        return page

    yield new
    for context in contexts:
        context.close()


@pytest.fixture
def page(warm: Callable[[str], BrowserContext], guard: Guard, color_scheme: str) -> Iterator[Page]:
    context = warm(color_scheme)
    page = context.new_page()
    guard.watch(page)
    yield page
    context.set_offline(False)
    for opened in context.pages[1:]:
        with suppress(Error):  # a page that never went anywhere has no storage
            opened.evaluate("() => { localStorage.clear(); }")
        opened.close()
    context.clear_cookies()
    context.clear_permissions()


@pytest.fixture
def visit(page: Page, app_url: str) -> Callable[..., Page]:
    """Open a path with query parameters and wait until it is idle; ``visitor`` takes another page."""

    def visit(path: str = "", visitor: Page = page, **query: object) -> Page:
        visitor.goto(address(app_url, path, **query))
        wait_until_idle(visitor)
        return visitor

    return visit


@pytest.fixture
def reopen(visit: Callable[..., Page], new_page: Callable[[], Page]) -> Callable[[Page], Page]:
    """Open the link of a page as another visitor."""
    return lambda page: visit(page.url.split("/", 3)[3], visitor=new_page())


@pytest.fixture
def wait_idle() -> Callable[..., None]:
    return wait_until_idle


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker(pytest.mark.browser)
