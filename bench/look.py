"""How long the viewer takes to answer, in Chromium: a saved page from file:// with given translations, and the app.

Each wait runs from the event's own time until the browser has drawn a frame after it and goes on. head, layer, kind,
sort, words, special, lines, scale: another one chosen with the keyboard or a control. preview: the pointer comes to
another small map. small: whole words asked for, until the small maps follow, which come after the large one. all: every
map of every kind at once. Frames come every 16.7 ms: a wait of less found its frame early.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from bench.browser import VIEWPORT, address, app_page, chromium, wait_until_idle
from model.trace import HeadRef
from model.translator import Translator
from viz.core.selection import Selection
from viz.export.pages import page_of

PAIRS = {
    20: (
        "The animal did not cross the street because it was too tired and the dog that we saw ran away.",
        "动物没有过马路，因为它太累了，我们看见的狗跑了。",
    ),
    60: (
        "My brother lives in a small house near the river, and every morning he walks to the station with his dog, "
        "buys a newspaper and a cup of coffee, waits for the first train, goes to work in the city, comes home late "
        "in the evening, eats his dinner, reads a book for an hour, and goes to bed before his wife comes home too.",
        "我哥哥住在河边的小房子里，他每天早上和他的狗走到车站，买报纸和咖啡，等第一班火车，去城里工作，晚上很晚才回家，吃晚饭，看一个小时的书。",
    ),
}
THERE = 3  # sorts that are in every message
BARS = {"choice": 33.0, "preview": 33.0, "small": 100.0, "all": 500.0, "bytes": {20: 400_000, 60: 2_000_000}}
KEYS = {
    "head": "ArrowRight",
    "layer": "ArrowDown",
    "kind": "k",
    "words": "w",
    "special": "s",
    "scale": "o",
    "lines": "l",
}
# Until the event has been handled and the frame with what it drew has been handed to the screen.
_SMALL = """(canvas) => { const before = canvas.dataset.painted;
  window.waited = new Promise((resolve) => document.addEventListener("keydown", (event) => { const look = () =>
    canvas.dataset.painted === before ? setTimeout(look, 1) : resolve(performance.now() - event.timeStamp); look();
  }, { once: true })); }"""
_WAIT = """(heard, name) => { window.waited = new Promise((resolve) => heard.addEventListener(name, (event) => {
  const from = event.timeStamp;
  requestAnimationFrame(() => { const channel = new MessageChannel();
    channel.port1.onmessage = () => resolve(performance.now() - from); channel.port2.postMessage(0); });
}, { once: true })); }"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--runs", type=int, default=20, metavar="N", help="runs of each wait (default 20)")


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Medians and 95th percentiles in milliseconds, and the pages' bytes, by number of words."""
    translator = Translator.from_checkpoint(args.checkpoint)
    waits: dict[int, dict[str, list[float]]] = {}
    facts: dict[int, dict[str, int]] = {}
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        for words, pair in PAIRS.items():
            translation = translator.trace(*pair)
            chosen = Selection((HeadRef("cross", 2, 5),))
            path = page_of(translator, translation, chosen, "en").save(Path(folder) / f"{words}.html")
            rows, columns = translation.trace.cross.shape[2:]
            facts[words] = {"bytes": path.stat().st_size, "rows": rows, "columns": columns}
            page = browser.new_page(viewport=VIEWPORT)
            page.goto(path.as_uri())
            page.wait_for_selector("#viewer[data-ready]")
            waits[words] = page_waits(page, args.runs)
            page.close()
        in_app = _app_waits(browser, args)
    found = {words: _summaries(by_name) for words, by_name in waits.items()}
    shown = {words: _summaries(by_name) for words, by_name in in_app.items()}
    load = os.getloadavg()[0]
    return {"bench": "look", "runs": args.runs, "load": load, "ms": found, "app": shown, "pages": facts, "bars": BARS}


def _app_waits(browser: Browser, args: argparse.Namespace) -> dict[int, dict[str, list[float]]]:
    """The same waits in the app, whose server is told of every rest; its own translation is looked at."""
    waits = {}
    with app_page(browser) as (page, url):
        for words, (text, _) in PAIRS.items():
            page.goto(address(url, "one_head", text=text, checkpoint=args.checkpoint))
            page.wait_for_selector("#viewer[data-ready]")
            wait_until_idle(page)
            waits[words] = page_waits(page, args.runs)
    return waits


def _summaries(by_name: dict[str, list[float]]) -> dict[str, dict[str, float]]:
    return {name: _summary(values) for name, values in by_name.items()}


def page_waits(page: Page, runs: int) -> dict[str, list[float]]:
    """Milliseconds of every wait on an open page."""
    waits = {}
    for name, key in KEYS.items():
        waits[name] = [_wait(page, "keydown", lambda key=key: page.keyboard.press(key)) for _ in range(runs)]
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    options = page.locator(".toolbar select").first.locator("option").evaluate_all("all => all.map((one) => one.value)")
    select = page.locator(".toolbar select").first
    names = [options[(run + 1) % THERE] for run in range(runs)]
    waits["sort"] = [_wait(page, "change", lambda name=name: select.select_option(name)) for name in names]
    waits["preview"] = _previews(page, runs)
    waits["small"] = [_wait(page, None, lambda: page.keyboard.press("w")) for _ in range(runs)]
    waits["all"] = []
    for _ in range(max(3, runs // 4)):
        waits["all"].append(_wait(page, "keydown", lambda: page.keyboard.press("a")))
        page.keyboard.press("a")
    return waits


def _previews(page: Page, runs: int) -> list[float]:
    """From one small map to the next, along the rows."""
    box = page.locator(".small .grid canvas").first.bounding_box()
    assert box is not None
    found = []
    for run in range(runs):
        x = box["x"] + box["width"] * (0.15 + 0.1 * (run % 8))
        y = box["y"] + box["height"] * (0.2 + 0.15 * (run // 8 % 5))
        found.append(_wait(page, "pointermove", lambda x=x, y=y: page.mouse.move(x, y)))
    return found


def _wait(page: Page, event: str | None, act: Callable[[], object]) -> float:
    if event:  # in the app no change of a list is heard outside the viewer's own tree
        page.locator("#viewer" if event == "change" else "html").evaluate(_WAIT, event)
    else:
        page.locator(".small canvas").first.evaluate(_SMALL)
    act()
    return float(page.evaluate("window.waited"))


def _summary(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    late = ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]
    return {"median": round(statistics.median(values), 1), "late": round(late, 1)}


def table(result: dict[str, Any]) -> str:
    """Lines for a person."""
    lines = []
    for words, facts in result["pages"].items():
        bar = BARS["bytes"][words]  # type: ignore[index]
        size = f"{facts['rows']} × {facts['columns']}"
        lines.append(f"{words} words, maps of {size}: page of {facts['bytes']:,} bytes (bar {bar:,})")
        for where, waits in (("saved", result["ms"]), ("app", result["app"])):
            for name, each in waits[words].items():
                limit, late = BARS.get(name, BARS["choice"]), each["late"]
                lines.append(
                    f"  {where:<6}{name:<9} median {each['median']:6.1f} ms, 95 % {late:6.1f} ms (bar {limit} ms)"
                )
    return "\n".join([*lines, f"{result['runs']} runs of each, load {result['load']:.1f}"])
