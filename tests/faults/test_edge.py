"""The server's edge: slow clients, a thousand idle pages, and what every answer tells the browser."""

from __future__ import annotations

import asyncio
import http.client
import resource
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import connect

from bench.browser import started_app
from bench.visitors import Visitor

SLOW, IDLE = 200, 1_000
KEPT, FILES_OF_A_SESSION = 128, 3  # Streamlit keeps the last sessions for two minutes, for pages that come back
HEADERS = {"x-content-type-options": "nosniff", "referrer-policy": "same-origin"}


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, int]]:
    with tempfile.TemporaryFile() as log, started_app(log) as found:
        yield found


def asked(url: str, method: str, path: str, **headers: str) -> http.client.HTTPResponse:
    """An answer of the server; its body is read."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    connection.request(method, path, headers=headers)
    found = connection.getresponse()
    found.read()
    return found


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("HEAD", "/"),
        ("GET", "/translate?text=a"),
        ("GET", "/no/such/page"),
        ("GET", "/..%2f..%2fetc/passwd"),
        ("GET", "/static/none.js"),
        ("GET", "/media/none"),
        ("GET", "/live/"),
        ("GET", "/headlight/none.js"),
        ("GET", "/_stcore/health"),
        ("GET", "/_stcore/host-config"),
        ("GET", "/_stcore/stream"),
        ("PUT", "/_stcore/upload_file/none/none"),
        ("DELETE", "/"),
        ("OPTIONS", "/_stcore/health"),
    ],
)
def test_every_answer_has_the_headers(server: tuple[str, int], method: str, path: str) -> None:
    found = asked(server[0], method, path)
    told = {name.lower(): value for name, value in found.getheaders()}
    assert HEADERS.items() <= told.items(), (found.status, told)
    assert "default-src" in told["content-security-policy"]
    assert "'unsafe-inline'" not in told["content-security-policy"].split("script-src")[-1].split(";")[0]
    assert "access-control-allow-origin" not in told
    assert found.status < 500


def test_another_site_gets_no_leave_to_read_an_answer(server: tuple[str, int]) -> None:
    for path in ("/", "/_stcore/health", "/_stcore/host-config"):
        found = asked(server[0], "GET", path, Origin="http://evil.example")
        assert found.getheader("access-control-allow-origin") is None


def handles(process: int) -> int:
    """Open files of a process."""
    return len(list(Path(f"/proc/{process}/fd").iterdir()))


def until_few(process: int, most: int) -> int:
    """Open files of a process, once they are no more than so many, or after 20 seconds."""
    deadline = time.monotonic() + 20
    while handles(process) > most and time.monotonic() < deadline:
        time.sleep(0.2)
    return handles(process)


@pytest.mark.parametrize(
    "half", ["GET / HTTP/1.1\r\nHost: x\r\nX-a: b", "GET /_stcore/stream HTTP/1.1\r\nUpgrade: web"]
)
def test_clients_who_never_end_their_request_keep_nobody_waiting(server: tuple[str, int], half: str) -> None:
    url, process = server
    before, place = handles(process), urlsplit(url)
    with ExitStack() as stack:
        for _ in range(SLOW):
            slow = stack.enter_context(socket.create_connection((str(place.hostname), int(place.port or 0)), 10))
            slow.sendall(half.encode())
        started = time.perf_counter()
        assert asked(url, "GET", "/").status == 200
        assert time.perf_counter() - started < 5
    assert until_few(process, before + 5) <= before + 5


async def _beside_idle_ones(url: str, number: int) -> float:
    """Seconds until a visitor has his page while so many sockets are open and silent."""
    address = f"{url.replace('http', 'ws', 1)}/_stcore/stream"
    idle = [await connect(address, subprotocols=["streamlit"], compression=None) for _ in range(number)]  # type: ignore[list-item]
    visitor = await Visitor.arrive(url)
    run = await visitor.open(60)
    assert run.ended
    assert run.translation
    await visitor.leave()
    await asyncio.gather(*(each.close() for each in idle))
    return run.seconds


def test_a_thousand_idle_pages_keep_nobody_waiting_and_are_let_go(server: tuple[str, int]) -> None:
    url, process = server
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < 2 * IDLE:
        if hard < 2 * IDLE:
            pytest.skip("this machine lets a process open too few files")
        resource.setrlimit(resource.RLIMIT_NOFILE, (2 * IDLE, hard))
    asyncio.run(_beside_idle_ones(url, 1))  # the first visit of all loads the model
    before = handles(process)
    assert asyncio.run(_beside_idle_ones(url, IDLE)) < 20
    most = before + KEPT * FILES_OF_A_SESSION + 10
    assert until_few(process, most) <= most
