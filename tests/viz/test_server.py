"""What stands before Streamlit lets every message leave at once, and serves the scripts of the components."""

from __future__ import annotations

import asyncio
import gc
import platform
import socket
import subprocess
import sys
from collections.abc import Callable, MutableMapping
from html import escape
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import AsyncMock
from urllib.parse import parse_qs, urlsplit

import pytest
import uvicorn
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from websockets.asyncio.client import connect

from model.errors import HeadlightError
from viz.app import frame
from viz.app.server.guard import EMBED_FROM, Guard, headers, is_from_here
from viz.core.choice import live_link

COUNTS = """
import gc, sys
from viz.app import frame
assert not gc.isenabled()
frame.FROZEN = 1e9
cycle = []; cycle.append(cycle); del cycle
frame.freeze_what_stays()
first = gc.get_freeze_count()
kept = [[] for _ in range(1000)]
frame.freeze_what_stays()
again = gc.get_freeze_count()
import colorsys
frame.freeze_what_stays()
print(first, again, gc.get_freeze_count(), gc.isenabled())
"""
GIVES_BACK = """
from pathlib import Path
from viz.app import frame

def pages():
    return int(Path("/proc/self/statm").read_text().split()[1])

before = pages()
many = [bytes(3000) for _ in range(100_000)]
last = bytes(3000)  # behind them: the heap does not end with what is freed
del many
held = pages() - before
frame.give_back_freed_memory()
print(held, pages() - before)
"""
LARGE = """
import sys
from pathlib import Path
{first}

def pages():
    return int(Path("/proc/self/statm").read_text().split()[1])

bytes(30_000_000)  # glibc cuts smaller ones from its heap from now on
before = pages()
both = [(bytes([1]) * 3_000_000, bytes(3000)) for _ in range(30)]
last = [small for _, small in both]
del both
print(pages() - before)
"""


@pytest.fixture(autouse=True)
def thawed() -> object:
    frame._idle.end()
    yield
    frame._idle.end()
    gc.unfreeze()
    gc.enable()


def test_freezes_at_first_and_again_only_after_an_import() -> None:
    done = subprocess.run([sys.executable, "-c", COUNTS], capture_output=True, text=True, check=True)
    first, again, later, enabled = done.stdout.split()
    assert int(first) > 1000
    assert int(again) <= int(first)
    assert int(later) >= int(first) + 900
    assert enabled == "True"


class Seen:
    """Something that knows itself, as a session does, and counts those of its kind that are gone."""

    gone = 0

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        Seen.gone += 1


def test_what_is_made_later_is_still_collected() -> None:
    frame.freeze_what_stays()
    before = Seen.gone
    Seen()
    gc.collect()
    assert Seen.gone == before + 1


def test_what_was_there_when_all_was_frozen_is_collected_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    before, lost = Seen.gone, Seen()
    frame._freeze.cache_clear()
    monkeypatch.setattr(frame.time, "monotonic", lambda: 10.0 * frame.FROZEN)
    frame.freeze_what_stays()
    del lost
    gc.collect()
    assert Seen.gone == before  # no page was drawn since
    monkeypatch.setattr(frame.time, "monotonic", lambda: 11.0 * frame.FROZEN)
    frame.freeze_what_stays()
    assert Seen.gone == before + 1


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_freed_memory_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", GIVES_BACK], capture_output=True, text=True, check=True)
    held, left = map(int, done.stdout.split())
    assert left < 0.5 * held


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_large_arrays_go_back_at_once_where_small_ones_stay() -> None:
    def left(first: str) -> int:
        script = LARGE.replace("{first}", first)
        return int(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)

    by_itself, here = left(""), left("import viz.app.frame")
    assert by_itself > 10_000  # pages of 4 KB, of 90 MB
    assert here < 1000


class Told:
    """A timer that only knows what it was told."""

    made: ClassVar[list[Told]] = []

    def __init__(self, seconds: float, call: Callable[[], None]) -> None:
        self.seconds, self.call, self.said = seconds, call, list[str]()
        self.daemon = False
        self.made.append(self)

    def start(self) -> None:
        self.said.append("start")

    def cancel(self) -> None:
        self.said.append("cancel")


def test_only_the_last_page_s_timer_sweeps_and_keeps_no_server_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    Told.made.clear()
    monkeypatch.setattr(frame, "Timer", Told)
    monkeypatch.setattr(frame, "_idle", frame.Idle(frame.UNASKED, frame._sweep))
    for _ in range(2):
        frame.freeze_what_stays()
    assert [each.said for each in Told.made] == [["cancel"], ["start", "cancel"], ["start"]]
    last, before = Told.made[-1], Seen.gone
    assert (last.seconds, last.daemon) == (frame.UNASKED, True)
    Seen()
    last.call()
    assert Seen.gone == before + 1


def held_back(guarded: bool) -> bool:
    """Whether a server on a socket as Streamlit makes it may hold a message back until another is acknowledged."""
    seen: list[int] = []
    transports: list[asyncio.Transport] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        seen.append(transports[0].get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        await send({"type": "websocket.accept"})

    async def outermost(scope: Scope, receive: Receive, send: Send) -> None:
        transports.append(send.__self__.transport)
        await (Guard(app, (), {}) if guarded else app)(scope, receive, send)

    async def visit() -> None:
        with socket.socket(socket.AF_INET) as listening:
            listening.bind(("127.0.0.1", 0))
            server = uvicorn.Server(
                uvicorn.Config(outermost, ws="websockets-sansio", lifespan="off", log_level="error")
            )
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            while not server.started:
                await asyncio.sleep(0.01)
            async with connect(f"ws://127.0.0.1:{listening.getsockname()[1]}"):
                pass
            server.should_exit = True
            await serving

    asyncio.run(visit())
    return seen == [0]


@pytest.mark.parametrize("guarded", [True, False])
def test_no_message_waits_for_another_to_be_acknowledged(guarded: bool) -> None:
    assert held_back(guarded) is not guarded


def answer(path: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of what a guard with one script answers, before an app that knows no address."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await Response("none", status_code=404)(scope, receive, send)

    guard = Guard(app, (), {"headlight/a.1.js": b"export const a = 1;"})
    found = TestClient(guard).get(path)
    return found.status_code, dict(found.headers), found.content


@pytest.mark.parametrize("below", ["", "/some/where"])
def test_scripts_are_served_below_whatever_the_app_stands_under(below: str) -> None:
    status, headers, body = answer(f"{below}/headlight/a.1.js")
    assert (status, body) == (200, b"export const a = 1;")
    assert headers["content-type"].startswith("text/javascript")
    assert "immutable" in headers["cache-control"]
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/headlight/a.2.js", "/headlight/../a.1.js", "/a.1.js", "/headlight/a.1.js/x"])
def test_no_other_file_is_served(path: str) -> None:
    assert answer(path)[0] == 404


@pytest.mark.parametrize(
    ("old", "query"),
    [
        ("/lines?layer=3&head=1&text=%E6%88%91%26", {"layer": "3", "head": "1", "text": "我&", "lines": "head"}),
        ("/lines/?lines=model&over=c0.1&over=c0.2", {"lines": "model", "over": ["c0.1", "c0.2"]}),
        ("/lines", {"lines": "head"}),
    ],
)
def test_the_address_that_lines_had_leads_to_heads(old: str, query: dict[str, str | list[str]]) -> None:
    guard = Guard(Response("app", status_code=200), (), {})
    found = TestClient(guard).get(old, follow_redirects=False)
    there = urlsplit(found.headers["location"])
    assert (found.status_code, there.path) == (307, "/one_head")
    wanted = {name: value if isinstance(value, list) else [value] for name, value in query.items()}
    assert parse_qs(there.query) == wanted
    assert TestClient(guard).get("/linesman").text == "app"


def asked(origin: str | None, allowed: tuple[str, ...] = ()) -> tuple[bool, str | None]:
    """Whether a socket of this origin is let in on host hall:8501, and the origin that Streamlit is then told."""
    given = [(b"host", b"hall:8501"), *([(b"origin", origin.encode())] if origin else [])]
    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": given}
    return is_from_here(scope, allowed), Headers(scope=scope).get("origin")


def test_a_socket_is_for_pages_of_this_server_and_of_origins_that_were_named() -> None:
    assert asked("http://hall:8501") == (True, "http://hall:8501")
    assert asked(None) == (True, None)
    for foreign in (
        "http://evil.example",
        "http://localhost:3000",
        "http://hall:8502",
        "null",
        "http://hall:8501@evil.example",
    ):
        assert not asked(foreign)[0]
    assert asked("https://course.example", ("https://course.example",)) == (True, "https://hall:8501")


def test_a_foreign_socket_is_refused_before_streamlit_asks_the_network_for_the_machine_s_name() -> None:
    reached: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        reached.append(scope["path"])

    async def open_socket(origin: bytes) -> list[str]:
        sent: list[str] = []

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message["type"])

        scope = {"type": "websocket", "path": "/x", "headers": [(b"host", b"hall"), (b"origin", origin)]}
        await Guard(app, (), {})(scope, AsyncMock(), send)
        return sent

    assert asyncio.run(open_socket(b"http://evil.example")) == ["websocket.close"]
    assert reached == []
    asyncio.run(open_socket(b"http://hall"))
    assert reached == ["/x"]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as ``viz export --live --folder`` writes it, named as the app's arguments name it."""
    policy = "default-src 'none'; script-src 'sha256-x=' 'wasm-unsafe-eval'"
    meta = f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
    (tmp_path / "index.html").write_text(f'<!doctype html><head>{meta}</head>{{"model":"en-zh"}}', encoding="utf-8")
    (tmp_path / "wasm.12.bin").write_bytes(b"runtime")
    (tmp_path / "secret.txt").write_text("no")
    monkeypatch.setattr(sys, "argv", ["app.py", "--live", str(tmp_path)])
    return tmp_path


@pytest.mark.parametrize("below", ["", "/some/where"])
def test_the_live_page_is_served_with_its_own_policy(site: Path, below: str) -> None:
    status, headers, body = answer(f"{below}/live/")
    assert status == 200
    assert b'<head><meta name="headlight-app" content="../">' in body
    policy = headers["content-security-policy"]
    assert policy == "default-src 'none'; script-src 'sha256-x=' 'wasm-unsafe-eval'; frame-ancestors 'self'"
    assert answer(f"{below}/live")[2] == body  # by way of /live/
    status, headers, body = answer(f"{below}/live/wasm.12.bin")
    assert (status, body) == (200, b"runtime")
    assert "immutable" in headers["cache-control"]


def test_the_app_leads_to_the_page_of_its_model_alone(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = live_link("A & <b>#1", "en-zh", "h=c3.0")
    assert said == "live/#i=A+%26+%3Cb%3E%231&h=c3.0"
    assert live_link("A", "en-zh", "h=c3.0&p=t1", y="0.5.2") == "live/#i=A&y=0.5.2&h=c3.0&p=t1"
    assert live_link("A", "another", "h=c3.0") is None
    monkeypatch.setattr(sys, "argv", ["app.py"])
    assert live_link("A", "en-zh", "h=c3.0") is None


@pytest.mark.parametrize("path", ["/live/secret.txt", "/live/../wasm.12.bin", "/live/none.bin", "/live/a/wasm.12.bin"])
def test_nothing_else_is_served_of_the_live_folder(site: Path, path: str) -> None:
    assert answer(path)[0] == 404


def test_without_a_live_folder_it_says_how_to_make_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["app.py"])
    status, _, body = answer("/live/")
    assert status == 404
    assert b"export --live --folder" in body


def test_sites_that_are_named_may_show_the_app_in_a_frame_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EMBED_FROM, "")
    assert "frame-ancestors 'self'" in headers(())["Content-Security-Policy"].split("; ")
    monkeypatch.setenv(EMBED_FROM, "https://example.org http://localhost:8000")
    allowed = "frame-ancestors 'self' https://example.org http://localhost:8000"
    assert allowed in headers(())["Content-Security-Policy"].split("; ")


@pytest.mark.parametrize(
    "wrong", ["*", "example.org", "https://example.org; script-src *", "https://a/b", "'unsafe-inline'"]
)
def test_what_is_no_origin_is_refused(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(EMBED_FROM, wrong)
    with pytest.raises(HeadlightError, match="is no origin"):
        headers(())
