"""How long a talk takes to be written, and its next scene to be painted, in Chromium: from file://, and in the app.

The talk has ten scenes: the shipped ones in turn, until there are ten; the app plays each shipped talk to its end.
export: from the storyboard to the file, the model being loaded. scene: Page Down at a scene's end, from the key's own
time until the browser has drawn a frame after it and goes on. click: the same within a scene. Frames come every
16.7 ms: a wait of less found its frame early.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from dataclasses import replace
from itertools import chain, cycle, islice
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Frame, Page

from bench.browser import VIEWPORT, address, app_page, chromium, wait_until_idle
from model.translator import Translator
from viz.export.show.reading import shipped, shipped_storyboard
from viz.export.show.staged import stage
from viz.export.show.storyboard import Storyboard
from viz.export.show.talk import talk_page

SCENES = 10
FILE, APP = "in the file", "in the app"
BARS = {"export": 20.0, "bytes": 3_000_000, FILE: 50.0, APP: 200.0}
Waits = dict[str, list[float]]  # milliseconds, of scenes and of clicks
_WAIT = """() => { window.waited = new Promise((resolve) => document.addEventListener("keydown", (event) => {
  const from = event.timeStamp;
  requestAnimationFrame(() => { const channel = new MessageChannel();
    channel.port1.onmessage = () => resolve(performance.now() - from); channel.port2.postMessage(0); });
}, { once: true })); }"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="times through the talk (default 3)")


def ten_scenes() -> Storyboard:
    """The talk."""
    boards = [shipped_storyboard(name) for name in shipped()]
    scenes = islice(cycle(chain.from_iterable(board.scenes for board in boards)), SCENES)
    return replace(boards[0], scenes=tuple(scenes))


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Seconds of the export, bytes of the file, milliseconds of the waits."""
    translator = Translator.from_checkpoint(args.checkpoint)
    began = time.perf_counter()
    page = talk_page(stage(ten_scenes(), lambda _: translator), "en")
    seconds = time.perf_counter() - began
    with chromium() as browser:
        waits = {FILE: from_disk(browser, page, args.runs), APP: in_app(browser, args.runs)}
    found = {where: {name: summary(each) for name, each in by_name.items()} for where, by_name in waits.items()}
    return {
        "bench": "show",
        "seconds": seconds,
        "bytes": len(page.encode()),
        "ms": found,
        "load": os.getloadavg()[0],
        "bars": BARS,
    }


def from_disk(browser: Browser, page: str, runs: int) -> Waits:
    """The waits of a talk's file."""
    waits: Waits = {"scene": [], "click": []}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "talk.html"
        path.write_text(page, encoding="utf-8")
        for _ in range(runs):
            tab = browser.new_page(viewport=VIEWPORT)
            tab.goto(path.as_uri())
            played(tab, tab.main_frame, waits)
            tab.close()
    return waits


def in_app(browser: Browser, runs: int) -> Waits:
    """The waits of the shipped talks, played in the app's page."""
    waits: Waits = {"scene": [], "click": []}
    with app_page(browser) as (tab, url):
        for name in [*shipped()] * runs:
            tab.goto(address(url, "talk", storyboard=name))
            wait_until_idle(tab)
            element = tab.locator(".st-key-talk_frame iframe").element_handle()
            frame = element.content_frame()
            if frame is None:
                raise RuntimeError("the app shows no talk")
            played(tab, frame, waits)
    return waits


def played(tab: Page, talk: Frame, waits: Waits) -> None:
    """Go through the talk to its last scene, each wait put where it belongs; a speaker says something in between."""
    talk.wait_for_selector("#talk[data-ready]")
    talk.wait_for_function("() => document.hasFocus()")
    place = talk.locator(".place").text_content() or ""
    while not is_last(place):
        tab.wait_for_timeout(300)
        talk.evaluate(_WAIT)
        tab.keyboard.press("PageDown")
        waited = float(talk.evaluate("window.waited"))
        before, place = place, talk.locator(".place").text_content() or ""
        waits["click" if place == before else "scene"].append(waited)


def is_last(place: str) -> bool:
    """Whether a talk that says ``3 / 7``, perhaps after what was guessed, is at its last scene."""
    scene, count = place.rpartition("· ")[2].split(" / ")
    return scene == count


def summary(waits: list[float]) -> dict[str, float]:
    """Median, what 95 of 100 do not exceed, and most."""
    return {
        "median": statistics.median(waits),
        "95": statistics.quantiles(waits, n=20, method="inclusive")[-1],
        "most": max(waits),
        "n": len(waits),
    }


def table(result: dict[str, Any]) -> str:
    """Lines for a person."""
    lines = [
        f"export of {SCENES} scenes: {result['seconds']:.1f} s (bar {BARS['export']:.0f} s)",
        f"file: {result['bytes']:,} bytes (bar {BARS['bytes']:,})",
    ]
    for where, by_name in result["ms"].items():
        for name, each in by_name.items():
            said = f"median {each['median']:.1f}, 95 % {each['95']:.1f}, most {each['most']:.1f} ms of {each['n']}"
            lines.append(f"next {name} {where}: {said} (bar {BARS[where]:.0f} ms)")
    return "\n".join([*lines, f"load {result['load']:.1f}"])
