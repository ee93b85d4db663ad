"""The shipped nginx configuration before three small servers: affinity, the socket, and one that goes."""

from __future__ import annotations

import asyncio
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import serve

from bench.replicas import (
    CONFIGURATION,
    COOKIE,
    NO_NGINX,
    Told,
    configured,
    cookie_of,
    find_nginx,
    free_port,
    judged,
    nginx_before,
)

needs_nginx = pytest.mark.skipif(find_nginx() is None, reason=NO_NGINX)


@contextmanager
def replica(port: int) -> Iterator[None]:
    """A server that says its port: to every request, and to everything that its socket hears, with what came along."""
    ready, loop = threading.Event(), asyncio.new_event_loop()
    stop: asyncio.Future[None] = loop.create_future()

    async def answer(socket) -> None:
        async for _ in socket:
            await socket.send(f"{port} {socket.request.headers['Host']} {socket.request.headers['X-Forwarded-For']}")

    def plain(socket, request):
        return None if "Upgrade" in request.headers else socket.respond(HTTPStatus.OK, str(port))

    async def run() -> None:
        async with serve(answer, "127.0.0.1", port, process_request=plain):
            ready.set()
            await stop

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield
    finally:
        loop.call_soon_threadsafe(lambda: stop.done() or stop.set_result(None))
        thread.join(10)


def asked(url: str, cookie: str = "") -> str:
    """What the proxy answers a visitor."""
    request = urllib.request.Request(url, headers={"Cookie": cookie} if cookie else {})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read().decode()


def heard(url: str, cookie: str) -> str:
    """What the socket answers a visitor."""

    async def talk() -> str:
        async with connect(
            url.replace("http", "ws", 1) + "/_stcore/stream", additional_headers={"Cookie": cookie}
        ) as it:
            await it.send("hello")
            return str(await asyncio.wait_for(it.recv(), 10))

    return asyncio.run(talk())


@needs_nginx
def test_a_visitor_stays_with_a_replica_by_page_and_socket_until_it_goes(tmp_path: Path) -> None:
    ports = [free_port() for _ in range(3)]
    with ExitStack() as first, ExitStack() as others:
        first.enter_context(replica(ports[0]))
        for port in ports[1:]:
            others.enter_context(replica(port))
        url = others.enter_context(nginx_before(ports, tmp_path))
        cookies = [cookie_of(url) for _ in range(30)]
        assert len(set(cookies)) == 30
        homes = {cookie: asked(f"{url}/beam?text=x", cookie) for cookie in cookies}
        assert set(homes.values()) == set(map(str, ports)), "all replicas have visitors"
        assert {cookie: asked(f"{url}/_stcore/upload_file/a", cookie) for cookie in cookies} == homes
        host = url.removeprefix("http://")
        for cookie in cookies[:6]:
            assert heard(url, cookie) == f"{homes[cookie]} {host} 127.0.0.1"
        with urllib.request.urlopen(urllib.request.Request(url, headers={"Cookie": cookies[0]}), timeout=10) as again:
            assert again.headers.get("Set-Cookie") is None, "who has a cookie keeps it"
        first.close()
        moved = {cookie: asked(url, cookie) for cookie in cookies}
        gone = {cookie for cookie in cookies if homes[cookie] == str(ports[0])}
        assert gone
        for cookie in cookies:
            if cookie in gone:
                assert moved[cookie] in set(map(str, ports[1:]))
                assert heard(url, cookie).startswith(moved[cookie])
            else:
                assert moved[cookie] == homes[cookie], "whose replica is there stays with it"


@needs_nginx
def test_an_upload_that_is_too_large_is_refused_and_a_permitted_one_is_not(tmp_path: Path) -> None:
    port = free_port()
    with replica(port), nginx_before([port], tmp_path) as url:
        request = urllib.request.Request(url, data=b"x" * 7 * 2**20, method="POST")
        with pytest.raises(urllib.error.HTTPError, match="413"):
            urllib.request.urlopen(request, timeout=10)


def test_the_configuration_writes_nowhere_but_in_its_folder(tmp_path: Path) -> None:
    text = configured([1, 2], 3, tmp_path)
    assert "server 127.0.0.1:1 max_fails" in text
    assert "server 127.0.0.1:2 max_fails" in text
    assert "listen 127.0.0.1:3;" in text
    assert "/tmp/" not in text.replace(str(tmp_path), "")
    shipped = CONFIGURATION.read_text(encoding="utf-8")
    assert "user " not in shipped.split("events")[0], "it starts without root"
    assert f"$cookie_{COOKIE}" in shipped


def test_what_visitors_lost_is_counted() -> None:
    right = {"a": "甲", "b": "乙"}
    told = [
        Told("1", [("a", "甲", 1.0), ("b", None, 0.1)], [("b", "乙")]),
        Told("2", [("a", "乙", 3.0)], [("a", None)], refused=2),
    ]
    found = judged(told, right)
    assert (found["lost"], found["most_lost_by_one"], found["wrong"]) == (1, 1, [("a", "乙")])
    assert (found["returned"], found["returned_to_their_sentence"], found["refused"]) == (2, 1, 2)
    assert (found["cookies"], found["median"]) == (2, 2.0)
    late = judged([Told("1", [("a", None, 60.0), ("b", None, 0.1)], too_late=1)], right)
    assert (late["most_lost_by_one"], late["most_broken_by_one"], late["too_late"]) == (2, 1, 1)
