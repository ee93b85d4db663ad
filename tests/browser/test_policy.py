"""The app's pages ask no other host for anything and run no script but their own; every other test watches that too."""

from __future__ import annotations

import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.guard import Guard
from tests.browser.reading import BOX

INJECTED = """source => document.body.append(Object.assign(document.createElement("script"), source))"""
FAILED = """html => new Promise((failed) => {
  document.body.insertAdjacentHTML("beforeend", html);
  document.body.lastElementChild.addEventListener("error", () => failed());
})"""


@pytest.mark.parametrize("path", ["", "/lessons", "/_stcore/health", "/no/such/file.js"])
def test_every_answer_of_the_server_carries_the_policy(app_url: str, path: str) -> None:
    with urllib.request.urlopen(app_url + path) as answer:
        policy = answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "same-origin"
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["frame-ancestors"] == "'self'"
    assert rules["connect-src"] == rules["default-src"] == "'self'"
    assert "unsafe-inline" not in rules["script-src"]
    assert "'unsafe-eval'" not in rules["script-src"]
    assert not any("//" in allowed or "*" in allowed for allowed in rules.values())


def test_another_host_and_a_script_that_slipped_in_are_refused(visit: Callable[..., Page], guard) -> None:
    page = visit("lessons")
    assert page.evaluate("fetch('https://example.org/').then(() => 'sent', () => 'refused')") == "refused"
    assert page.evaluate("fetch('/_stcore/health').then(() => 'sent', () => 'refused')") == "sent"
    page.evaluate(INJECTED, {"textContent": "window.broken = 1"})
    page.evaluate(INJECTED, {"src": "https://example.org/x.js"})
    for image in ('<img src=x onerror="window.broken = 2">', '<img src="https://example.org/x.png">'):
        page.evaluate(FAILED, image)
    assert page.evaluate("window.broken") is None
    refused = {line for line in guard.problems() if line.startswith("console: policy: ")}
    for told in ("connect-src https://example.org/", "script-src-elem inline", "script-src-attr inline"):
        assert f"console: policy: {told}" in refused
    assert {"console: policy: script-src-elem https://example.org/x.js"} <= refused
    assert {"console: policy: img-src https://example.org/x.png"} <= refused
    guard.expected += ["policy: ", "Security Policy", "example.org", "Failed to load resource"]


def test_the_address_of_the_first_view_opens_it_with_all_its_choices(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/translate?text=I+love+you.&lang=zh")
    expect(page.locator(".hl-translation")).to_contain_text("我")
    assert page.locator('[data-testid="stDialog"], [role="dialog"]').count() == 0
    assert page.evaluate("new URL(location).pathname") == "/"
    expect(page.locator(BOX.replace("English sentence", "英文句子"))).to_have_value("I love you.")


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_the_app_opens_in_both_colour_schemes_without_errors_or_outside_requests(visit: Callable[..., Page]) -> None:
    page = visit()
    assert page.locator('[data-testid="stMain"]').inner_text().strip()


def test_the_guard_sees_outside_requests_errors_and_breaches(page: Page, guard) -> None:
    page.goto("data:text/html,<meta http-equiv=Content-Security-Policy content=\"img-src 'none'\"><img src=data:,>")
    page.evaluate("console.error('boom'); fetch('http://example.org/').catch(() => 0)")
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
