"""What no browser test may come across, unless it provokes it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlparse

from playwright.sync_api import Page

HERE = {"127.0.0.1", "localhost"}
# Opened on /lessons, say, Streamlit first looks for its server under /lessons/, and is told 404.
PROBE = re.compile(r"//[^/]+/\w+/_stcore/(health|host-config)$")
# How Streamlit logs an exception that no page caught.
FAILED = re.compile("Uncaught app execution|Traceback")


@dataclass
class Guard:
    """What the pages of a test must not do, ask another host or log an error, and what the app must not: fail.

    ``log`` is what the app prints, and ``read`` how much of it was there before the test.
    """

    log: Path
    expected: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    read: int = 0

    def __post_init__(self) -> None:
        self.read = len(self._printed())

    def watch(self, page: Page) -> None:
        page.on("request", lambda request: self._asked(request.url))
        page.on("websocket", lambda socket: self._asked(socket.url))
        page.on("pageerror", lambda error: self.seen.append(f"page error: {error}"))
        page.on("console", lambda message: self._logged(message.type, message.text, message.location["url"]))

    def _asked(self, url: str) -> None:
        parts = urlparse(url)
        if parts.scheme not in {"data", "blob", "about"} and parts.hostname not in HERE:
            self.seen.append(f"request: {url}")

    def _logged(self, kind: str, text: str, url: str) -> None:
        if kind == "error" and not PROBE.search(url):
            self.seen.append(f"console: {text}")

    def _printed(self) -> bytes:
        return self.log.read_bytes() if self.log.is_file() else b""

    def problems(self) -> list[str]:
        told = self._printed()[self.read :].decode(errors="replace")
        seen = [*self.seen, f"the app: {told}"] if FAILED.search(told) else self.seen
        return [line for line in seen if not any(re.search(pattern, line) for pattern in self.expected)]
