"""How fast headlight.show opens attentions of 12 × 12 heads, and answers a head, in Chromium.

The page is a blank one that does what anywidget does: it hands the widget's traits to the script that ships, and
carries its questions to Python and the answers back. ``open`` is the time from calling ``show`` to the first whole map
painted; ``head`` from an arrow key to the next head's whole map painted; ``far`` the same for a jump to a head that is
beside none that was shown, and so on its way to Python and back after the key. Both are told by the page's own clock,
from the time of the key's event until the frame after which its map is on the screen. The way through a notebook's own
kernel is not in it.
"""

from __future__ import annotations

import argparse
import base64
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import numpy as np
from playwright.sync_api import Page

from bench.browser import chromium

if TYPE_CHECKING:
    from viz.export.notebook.widget import HeadlightWidget

LAYERS = HEADS = 12
LENGTHS = (83, 512, 2000)  # tokens: a million cells, and more
STEPS = 10
FAR = ("Shift+3", "5", "Shift+7", "1", "Shift+5", "8", "Shift+9", "4")  # digits: a layer with Shift, else a head
BARS = {512: {"open": 1.0, "head": 50.0, "far": 50.0}}
_STAND_IN = """async ([script, traits, message, address]) => {
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const heard = {};
  const arrived = (window.arrived = new Set());
  const model = {
    get: (name) => (name === "_message" ? new DataView(bytes(message).buffer) : traits[name]),
    set: (name, value) => (traits[name] = value),
    save_changes: () => {},
    on: (event, handle) => (heard[event] = handle),
    off: () => {},
    send: async ({ ask }) => {
      const found = await (await fetch(`${address}/${ask}`)).arrayBuffer();
      heard["msg:custom"]({ head: ask }, [new DataView(found)]);
      arrived.add(ask);
    },
  };
  const { default: widget } = await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  const el = document.body.appendChild(document.createElement("div"));
  widget.render({ model, el });
}"""
# A frame's callbacks run before it is painted, and what they post to a channel comes after.
_PAINTED = """() => new Promise((done) => requestAnimationFrame(() => {
  const channel = new MessageChannel();
  channel.port1.onmessage = done;
  channel.port2.postMessage(0);
}))"""
_WATCH = """(() => {
  const title = document.querySelector(".headlight").shadowRoot.querySelector(".panel-title b");
  window.heard = new Promise((done) => addEventListener("keydown", done, { once: true, capture: true }));
  const painted = new Promise((done) => {
    const seen = new MutationObserver(() => done(seen.disconnect()));
    seen.observe(title, { childList: true, characterData: true, subtree: true });
  });
  const before = new Set(arrived);
  window.answered = Promise.all([heard, painted]).then(async ([{ timeStamp }]) => {
    await (PAINTED)();
    const [layer, head] = title.textContent.match(/\\d+/g);
    return [performance.now() - timeStamp, `e${layer}.${head}`, before.has(`e${layer}.${head}`)];
  });
})()""".replace("PAINTED", _PAINTED)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--tokens", type=int, nargs="+", default=LENGTHS, metavar="N", help="lengths (default 83 512 2000)"
    )


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Seconds and milliseconds for each length."""
    found = {}
    with chromium() as browser:
        for length in args.tokens:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            found[length] = _measured(page, attentions(length), length)
            page.close()
    return {"bench": "notebook", "layers": LAYERS, "heads": HEADS, "lengths": found, "bars": BARS}


def attentions(length: int) -> list[np.ndarray]:
    """Layers [1, head, query, key] of random weights whose rows sum to 1; layers share memory where they are large."""
    rng = np.random.default_rng(length)
    one = rng.random((1, HEADS, length, length), dtype=np.float32)
    one /= one.sum(-1, keepdims=True)
    return [one] * LAYERS if length > 1000 else [one.copy() for _ in range(LAYERS)]


def _measured(page: Page, given: list[np.ndarray], length: int) -> dict[str, Any]:
    import headlight

    tokens = [f"t{number}" for number in range(length)]
    started = time.perf_counter()
    widget = headlight.show(attentions=given, tokens=tokens)
    made = time.perf_counter() - started
    with shown_in(page, widget):
        if widget._asks:
            page.wait_for_function("() => arrived.has('e0.0')")
        page.evaluate(_PAINTED)
        opened = time.perf_counter() - started
        steps = [_pressed(page, "ArrowRight")[0] for _ in range(STEPS)]
        jumps = [_pressed(page, key) for key in FAR]
    if early := [code for _, code, was_there in jumps if was_there]:
        raise SystemExit(f"bench notebook: {', '.join(early)} had been sent before the jump to it.")
    times = {"head": statistics.median(steps), "far": statistics.median(jump[0] for jump in jumps)}
    return {"make": made, "open": opened, **times, "bytes": len(widget._message)}


@contextmanager
def shown_in(page: Page, widget: HeadlightWidget) -> Iterator[None]:
    """A page that holds the widget, which has the keyboard and is answered; ``arrived`` are the heads it was sent."""
    with _answering(widget) as address:
        page.goto(address)
        traits = {"link": widget.link, "height": 720, "_style": widget._style, "_asks": widget._asks}
        page.evaluate(_STAND_IN, [widget._esm, traits, base64.b64encode(widget._message).decode(), address])
        page.locator(".headlight .viewer").focus()
        yield


@contextmanager
def _answering(widget: HeadlightWidget) -> Iterator[str]:
    """The address of a server that gives a blank page, and a head's bytes by its code, as a kernel's socket does."""
    sent: list[bytes] = []
    one_at_a_time = threading.Lock()  # as a kernel answers
    widget.send = lambda content, buffers: sent.append(buffers[0])  # type: ignore[method-assign]

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            """A head, or the page."""
            with one_at_a_time:
                widget._answer(None, {"ask": self.path[1:]}, [])
                body = sent.pop() if sent else b"<!doctype html><body></body>"
            self.send_response(200)
            self.send_header("Content-Type", "text/html" if len(self.path) == 1 else "application/octet-stream")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def _pressed(page: Page, key: str) -> tuple[float, str, bool]:
    """Milliseconds from a key to its head's whole map on the screen, its code, and whether the map was there before."""
    page.evaluate(_WATCH)
    page.keyboard.press(key)
    found: tuple[float, str, bool] = page.evaluate("() => answered")
    return found


def table(result: dict[str, Any]) -> str:
    """The result for a person."""
    names = "tokens   made s   open s   next head ms   far head ms   message kB"
    lines = [f"{result['layers']} × {result['heads']} heads", names]
    for length, found in result["lengths"].items():
        bar = result["bars"].get(length)
        said = f"   (bars {bar['open']:g} s, {bar['head']:g} ms, {bar['far']:g} ms)" if bar else ""
        times = f"{found['make']:8.2f} {found['open']:8.2f} {found['head']:14.0f} {found['far']:13.0f}"
        lines.append(f"{length:6} {times} {found['bytes'] / 1000:12.0f}{said}")
    return "\n".join(lines)
