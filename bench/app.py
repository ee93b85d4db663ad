"""How long a visitor waits, in Chromium against the real app.

content: from starting the server to the first content, the box with the opening example; start: to the
painted translation of it; both in a browser that is already running. bare: the same to the box of a
Streamlit app that is a box and nothing else, in turn with ours. enter: from Enter to the painted
maps of a new 20-word sentence in the viewer.
head: from pressing the arrow key to the painted map of the next head. Painted means that the viewer has
drawn them, and the browser two more frames; the wait is measured in the page.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from bench.browser import VIEWPORT, address, app_page, chromium, running_app, wait_until_idle

_SAYS = """() => {{
  const hosts = () => [...document.querySelectorAll("*")].filter((element) => element.shadowRoot);
  const deep = (selector) => document.querySelector(selector)
    ?? hosts().map((host) => host.shadowRoot.querySelector(selector)).find(Boolean);
  const plain = (chart) => [...(chart?.querySelectorAll("*") ?? [])].find((each) => each.shadowRoot)?.shadowRoot
    .querySelector('[data-component="plain_chart"]')?.component;
  const first = (plot) => plot?.calcdata?.flat().find((trace) => trace.z)?.z.join();
  const says = {says};
  return says.every(Boolean) ? says : null;
}}"""
_UNTIL = """(before) => {{ window.waiting = new Promise((resolve, reject) => {{
  const says = {says}, started = performance.now();
  const look = () => {{
    const now = says();
    if (performance.now() - started > 15000) return reject(new Error("the page says the same after 15 seconds"));
    if (now === null || now.some((each, i) => each === before[i])) return requestAnimationFrame(look);
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - started)));
  }};
  look();
}}); }}"""


def seconds_until_painted(page: Page, says: str, act: Callable[[], object]) -> float:
    """Seconds from just before an action until the page says something else, and two more frames have been drawn.

    Args:
        page: idle.
        says: JavaScript for a list of strings that all change, each null while the page waits for it.
            ``deep(selector)`` looks inside components too; ``first(plot)`` is the first heatmap's
            values; ``plain(element)`` is the plain chart in it.
        act: what the visitor does.
    """
    script = _SAYS.format(says=says)
    page.wait_for_function(script)
    page.evaluate(_UNTIL.format(says=script), page.evaluate(script))
    act()
    seconds = float(page.evaluate("window.waiting")) / 1000
    wait_until_idle(page)
    return seconds


BOX = 'input[aria-label="English sentence"]'
NAMES = ("Tom", "Mary", "John", "Anna", "Peter", "Alice", "Paul")
WORDS = "told me that the old man with {} black dogs would come back to our village in the summer."
BARE = "import streamlit as st\n\nst.text_input('English sentence')\n"
BARS = {"content": 2.5, "start": 4.0, "enter": 0.6, "head": 0.1}
SENTENCE, HEAD = "[deep('#viewer')?.dataset.ready]", "[deep('.panel-title')?.textContent]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="runs of each wait (default 5)")


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Median seconds of each wait, with every run's own."""
    with chromium() as browser:
        starts = [
            (*_start(browser.new_page(viewport=VIEWPORT), args.checkpoint), _bare(browser.new_page(viewport=VIEWPORT)))
            for _ in range(args.runs)
        ]
        with app_page(browser) as (page, url):
            page.goto(address(url, "one_head", checkpoint=args.checkpoint))
            wait_until_idle(page)
            enters = [_enter(page, sentence) for sentence in sentences(args.runs + 1)][1:]
            heads = [_head(page) for _ in range(args.runs + 1)][1:]
    contents, translations, bare = (list(seconds) for seconds in zip(*starts, strict=True))
    waits = {"content": contents, "bare": bare, "start": translations, "enter": enters, "head": heads}
    return {
        "bench": "app",
        "runs": args.runs,
        "load": os.getloadavg()[0],
        "seconds": {name: round(statistics.median(values), 2) for name, values in waits.items()},
        "every_run": {name: [round(value, 2) for value in values] for name, values in waits.items()},
        "bars": BARS,
    }


def sentences(number: int) -> list[str]:
    """So many different sentences of 20 words, none of which the app has seen."""
    return [f"{NAMES[n % len(NAMES)]} {WORDS.format(n // len(NAMES) + 2)}" for n in range(number)]


def _start(page: Page, checkpoint: str) -> tuple[float, float]:
    """Seconds to the first content and to the translation."""
    started = time.perf_counter()
    with tempfile.TemporaryFile() as log, running_app(log) as url:
        page.goto(address(url, checkpoint=checkpoint))
        page.wait_for_selector(BOX)
        content = time.perf_counter() - started
        page.wait_for_selector(".hl-translation", state="attached")
        seconds = time.perf_counter() - started
        page.close()
    return content, seconds


def _bare(page: Page) -> float:
    """Seconds to the box of an app that is nothing else."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as log:
        (Path(folder) / "app.py").write_text(BARE, encoding="utf-8")
        started = time.perf_counter()
        with running_app(log, Path(folder)) as url:
            page.goto(url)
            page.wait_for_selector(BOX)
            seconds = time.perf_counter() - started
            page.close()
    return seconds


def _enter(page: Page, sentence: str) -> float:
    page.fill(BOX, sentence)
    return seconds_until_painted(page, SENTENCE, lambda: page.press(BOX, "Enter"))


def _head(page: Page) -> float:
    page.locator(".panel-title").first.click()
    return seconds_until_painted(page, HEAD, lambda: page.keyboard.press("ArrowRight"))


def table(result: dict[str, Any]) -> str:
    """The result for a person."""
    names = {
        "content": "server start to the first content",
        "bare": "the same of a Streamlit app with one box",
        "start": "server start to the first translation",
        "enter": "Enter to the painted map, 20 words",
        "head": "another head to its painted map",
    }

    def line(name: str, seconds: float) -> str:
        bar = f"bar {result['bars'][name]:.1f} s; " if name in result["bars"] else ""
        return f"{names[name]:<40}{seconds:6.2f} s   ({bar}runs {result['every_run'][name]})"

    lines = [line(name, seconds) for name, seconds in result["seconds"].items()]
    return "\n".join([*lines, f"medians of {result['runs']} runs; load {result['load']:.1f}"])
