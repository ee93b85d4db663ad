from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page


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
