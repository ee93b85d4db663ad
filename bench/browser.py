"""The real app in a real browser: for the benches and for the browser tests."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, Playwright, ViewportSize, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
HOW_TO_GET = "no Chromium found: get one with 'apt-get install chromium' or 'python -m playwright install chromium'"
VIEWPORT: ViewportSize = {"width": 1280, "height": 720}
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # the first draws for no screen
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",  # without it the one for no screen draws wider letters than the others
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
_IDLE = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  return app !== null && app.dataset.testScriptState === "notRunning"
    && document.querySelector('[data-testid="stMain"] [data-testid^="stElementContainer"]') !== null
    && document.querySelector('[data-testid="stMain"] :is([data-stale="true"], [data-testid="stSkeleton"])') === null;
}"""
_CALM = f"""() => {{
  window.calmSince = ({_IDLE})() ? window.calmSince ?? performance.now() : undefined;
  return performance.now() - window.calmSince >= 300;
}}"""


def find_chromium(playwright: Playwright) -> str | None:
    """Path of a Chromium: one of the system's, or the one that Playwright installed; None without any."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found:
        return found
    own = playwright.chromium.executable_path
    return own if Path(own).is_file() else None


def launch(playwright: Playwright, executable: str, *flags: str) -> Browser:
    """A headless Chromium that cannot resolve any host but this machine."""
    return playwright.chromium.launch(executable_path=executable, args=[*_FLAGS, *flags])


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium, closed in the end; without one on this machine, one sentence ends the program."""
    with sync_playwright() as playwright:
        executable = find_chromium(playwright)
        if executable is None:
            raise SystemExit(HOW_TO_GET)
        browser = launch(playwright, executable)
        yield browser
        browser.close()


@contextmanager
def app_page(browser: Browser) -> Iterator[tuple[Page, str]]:
    """An empty page 1280 pixels wide, and the address of an app that runs as long."""
    with tempfile.TemporaryFile() as log, running_app(log) as url:
        yield browser.new_page(viewport=VIEWPORT), url


@contextmanager
def running_app(log: IO[bytes], folder: Path = ROOT) -> Iterator[str]:
    """The app's address, while it runs; as ``started_app``."""
    with started_app(log, folder) as (url, _):
        yield url


@contextmanager
def started_app(log: IO[bytes], folder: Path = ROOT) -> Iterator[tuple[str, int]]:
    """The app's address and the number of its process, while it runs on a free port; its output goes to ``log``.

    ``folder`` is where its ``app.py`` stands.

    Raises:
        RuntimeError: the app ended, or was not healthy within a minute.
    """
    with serving(("-m", "streamlit", "run", "app.py", "--server.port", "{port}"), folder, log) as found:
        yield found


@contextmanager
def serving(
    command: Sequence[str], folder: Path, log: IO[bytes], health: str = "/_stcore/health", **variables: str
) -> Iterator[tuple[str, int]]:
    """The address of a server of Python's and the number of its process, while it runs on a free port.

    Args:
        command: after the interpreter; ``{port}`` stands for the port.
        folder: where it runs.
        log: where its output goes.
        health: what answers once it is up.
        variables: of its environment, beside this process's own.

    Raises:
        RuntimeError: it ended, or was not healthy within a minute.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, *(word.format(port=port) for word in command)]
    environment = {**os.environ, **variables}
    server = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)  # noqa: S603
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_healthy(server, f"{url}{health}")
        yield url, server.pid
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()


def wait_until_healthy(server: subprocess.Popen[bytes], url: str) -> None:
    """Return once an address answers.

    Raises:
        RuntimeError: the server ended, or did not answer within a minute.
    """
    for _ in range(1200):
        if server.poll() is not None:
            raise RuntimeError(f"the app ended with status {server.returncode} before it was healthy")
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 - our own address
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise RuntimeError("the app was not healthy within a minute")


def address(base: str, path: str = "", **query: object) -> str:
    """Address of a page of the app with query parameters; booleans as Streamlit writes them."""
    values = {key: str(value).lower() if isinstance(value, bool) else value for key, value in query.items()}
    return f"{base}/{path}" + (f"?{urlencode(values)}" if values else "")


def wait_until_idle(page: Page, timeout_s: float = 60) -> None:
    """Return once Streamlit has drawn something, runs no script, and shows nothing stale or half loaded, for 0.3 s."""
    page.evaluate("window.calmSince = undefined")
    page.wait_for_function(_CALM, polling=50, timeout=1000 * timeout_s)


def ensure_chromium() -> str | None:
    """Path of a Chromium, installed with Playwright where there was none; None where that failed too."""
    with sync_playwright() as playwright:
        if found := find_chromium(playwright):
            return found
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, timeout=600, check=True)  # noqa: S603
    except (subprocess.SubprocessError, OSError):
        return None
    with sync_playwright() as playwright:
        return find_chromium(playwright)


if __name__ == "__main__":
    print(ensure_chromium() or HOW_TO_GET)
