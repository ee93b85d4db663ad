"""How long the page that translates by itself takes, in Chromium, from file:// with the network off, on one thread.

ready: from the page's first byte until a sentence can be translated. 20, 60: a new sentence of so many words, from the
press of the button until a frame with its maps is painted. mute: the same for the chosen head. Megabytes: of
the file, and of the renderer's memory after all that, as the system counts it; talk: the memory of a talk's file, of
whose ten scenes one is live, after as many sentences of 20 words typed there (graphs are made anew for it).
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from bench.browser import VIEWPORT, chromium
from bench.look import PAIRS
from bench.show import ten_scenes
from model.translator import Translator
from viz.export.live import live_page
from viz.export.show.staged import stage
from viz.export.show.talk import talk_page

BARS = {"ready": 3.0, "20": 0.35, "60": 1.5, "mute": 0.4, "file": 30.0, "memory": 400.0, "talk": 400.0, "requests": 0}
# Each run has another sentence: a last word of its own.
LAST = ("today", "yesterday", "again", "here", "alone", "twice", "slowly", "outside", "quietly", "together")
_WAIT = """(selector) => new Promise((resolve) => {
  const live = document.getElementById("live");
  const from = performance.now();
  const seen = new MutationObserver(() => { seen.disconnect(); requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => resolve((performance.now() - from) / 1000); channel.port2.postMessage(0); }); });
  seen.observe(live, { attributes: true, attributeFilter: ["data-shown"] });
  document.querySelector(selector).click();
})"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--runs", type=int, default=10, metavar="N", help="of each wait (default 10)")
    parser.add_argument("--graphs", type=Path, metavar="DIR", help="of export-onnx, not made anew; without the talk")


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Medians in seconds, sizes in megabytes, and the number of requests."""
    translator = Translator.from_checkpoint(args.checkpoint)
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "headlight.html"
        path.write_bytes(live_page(translator, graphs=args.graphs).encode())
        page = browser.new_context(viewport=VIEWPORT, offline=True).new_page()
        asked: list[str] = []
        page.on("request", lambda request: request.url.startswith(("file:", "blob:")) or asked.append(request.url))
        started = time.monotonic()
        page.goto(path.as_uri())
        page.wait_for_selector("#live[data-ready]", timeout=120_000)
        found: dict[str, Any] = {"ready": time.monotonic() - started}
        for words, (text, _) in PAIRS.items():
            waits = [_asked(page, f"{text[:-1]} {LAST[run % len(LAST)]}.") for run in range(args.runs)]
            found[str(words)] = statistics.median(waits)
        _asked(page, PAIRS[20][0])
        found["mute"] = statistics.median(_muted(page) for _ in range(args.runs))
        memory = _memory(browser)
        found |= {"file": path.stat().st_size / 1e6, "memory": memory, "requests": len(asked)}
    return found if args.graphs else found | {"talk": _talk_memory(translator, args.runs)}


def table(result: dict[str, Any]) -> str:
    """Each measure beside its bar."""
    lines = [f"{name:10}{result[name]:10.2f}   bar {bar:g}" for name, bar in BARS.items() if name in result]
    return "\n".join(["seconds, megabytes, requests", *lines])


def _asked(page: Page, text: str) -> float:
    page.fill("#sentence", text)
    waited: float = page.evaluate(_WAIT, ".go")
    return waited


def _muted(page: Page) -> float:
    """Seconds to the translation without the chosen head; it is given back afterwards."""
    waited: float = page.evaluate(_WAIT, ".mutes button")
    page.evaluate(_WAIT, ".mutes .muted")
    return waited


def _talk_memory(translator: Translator, runs: int) -> float:
    """Megabytes of a talk whose first scene is live, after so many sentences."""
    board = ten_scenes()
    scenes = (replace(board.scenes[0], live=True), *board.scenes[1:])
    written = talk_page(stage(replace(board, scenes=scenes), lambda _: translator), "en")
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "talk.html"
        path.write_bytes(written.encode())
        page = browser.new_context(viewport=VIEWPORT, offline=True).new_page()
        page.goto(path.as_uri())
        page.wait_for_selector(".live-box[data-ready]", timeout=120_000)
        for run in range(runs):
            text = f"{PAIRS[20][0][:-1]} {LAST[run % len(LAST)]}."
            page.fill(".live-box input", text)
            page.press(".live-box input", "Enter")
            page.wait_for_function(
                "said => document.querySelector('.live-box').dataset.shown === said", arg=text, timeout=60_000
            )
        return _memory(browser)


def _memory(browser: Browser) -> float:
    """Megabytes that the largest renderer takes; needs /proc."""
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    sizes = [_resident(each["id"]) for each in processes if each["type"] == "renderer"]
    return max(sizes) / 1e6


def _resident(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    line = next(line for line in status if line.startswith("VmRSS:"))
    return 1024 * int(line.split()[1])
