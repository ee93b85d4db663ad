from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.guard import Guard


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_the_app_opens_in_both_colour_schemes_without_errors_or_outside_requests(visit: Callable[..., Page]) -> None:
    page = visit()
    assert page.locator('[data-testid="stMain"]').inner_text().strip()


def test_the_guard_sees_outside_requests_errors_and_breaches(page: Page, guard) -> None:
    page.goto("data:text/html,<meta http-equiv=Content-Security-Policy content=\"img-src 'none'\"><img src=data:,>")
    page.evaluate("fetch('http://example.org/').catch(() => 0); console.error('boom')")
    page.wait_for_timeout(300)
    assert "console: policy: img-src data" in guard.problems()
    assert any(line.startswith("request: http://example.org") for line in guard.problems())
    assert "console: boom" in guard.problems()
    guard.expected += ["example.org", "boom", "policy: ", "Content Security Policy", "Failed to load resource"]


def test_the_guard_sees_that_the_app_failed_during_the_test(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_text("Uncaught app execution\nKeyError: 'before'\n")
    guard = Guard(log)
    assert guard.problems() == []
    with log.open("a") as more:
        more.write("Uncaught app execution\nKeyError: 'now'\n")
    (problem,) = guard.problems()
    assert "'now'" in problem
    assert "'before'" not in problem


@pytest.mark.parametrize("test", ["one", "other"])
def test_nothing_is_kept_from_test_to_test(visit: Callable[..., Page], test: str) -> None:
    page = visit("about")
    assert page.evaluate("() => localStorage.mark ?? null") is None
    assert "mark" not in page.evaluate("() => document.cookie")
    page.evaluate("test => { localStorage.mark = test; document.cookie = `mark=${test}`; }", test)
    assert page.evaluate("() => localStorage.mark") == test
    assert f"mark={test}" in page.evaluate("() => document.cookie")
