"""How long a talk takes to be written, and its next scene to be painted, in Chromium from file://.

The talk has ten scenes: the shipped ones in turn, until there are ten. export: from the storyboard to the file, the
model being loaded. scene: Page Down at a scene's end, from the key's own time until the browser has drawn a frame after
it and goes on. click: the same within a scene. Frames come every 16.7 ms: a wait of less found its frame early.
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

from playwright.sync_api import Page

from bench.browser import VIEWPORT, chromium
from model.translator import Translator
from viz.export.show.shelf import shipped, shipped_storyboard
from viz.export.show.staged import stage
from viz.export.show.storyboard import Storyboard
from viz.export.show.talk import talk_page

SCENES = 10
BARS = {"export": 20.0, "bytes": 3_000_000, "scene": 50.0, "click": 50.0}
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
    waits: dict[str, list[float]] = {"scene": [], "click": []}
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "talk.html"
        path.write_text(page, encoding="utf-8")
        for _ in range(args.runs):
            tab = browser.new_page(viewport=VIEWPORT)
            tab.goto(path.as_uri())
            tab.wait_for_selector("#talk[data-ready]")
            played(tab, waits)
            tab.close()
    found = {
        name: {"median": statistics.median(each), "most": max(each), "n": len(each)} for name, each in waits.items()
    }
    return {
        "bench": "show",
        "seconds": seconds,
        "bytes": len(page.encode()),
        "ms": found,
        "load": os.getloadavg()[0],
        "bars": BARS,
    }


def played(tab: Page, waits: dict[str, list[float]]) -> None:
    """Go through the talk to its last scene, each wait put where it belongs; a speaker says something in between."""
    place = tab.locator(".place").text_content()
    while not (place or "").endswith(f"{SCENES} / {SCENES}"):
        tab.wait_for_timeout(300)
        tab.evaluate(_WAIT)
        tab.keyboard.press("PageDown")
        waited = float(tab.evaluate("window.waited"))
        before, place = place, tab.locator(".place").text_content()
        waits["click" if place == before else "scene"].append(waited)


def table(result: dict[str, Any]) -> str:
    """Lines for a person."""
    lines = [
        f"export of {SCENES} scenes: {result['seconds']:.1f} s (bar {BARS['export']:.0f} s)",
        f"file: {result['bytes']:,} bytes (bar {BARS['bytes']:,})",
    ]
    for name, each in result["ms"].items():
        said = f"median {each['median']:.1f} ms, most {each['most']:.1f} ms of {each['n']}"
        lines.append(f"next {name}: {said} (bar {BARS[name]:.0f} ms)")
    return "\n".join([*lines, f"load {result['load']:.1f}"])
