"""Limits of one server: names that it answers to, pages open at once, and how slowly a body may come."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any
from unittest.mock import AsyncMock

import pytest
from starlette.responses import Response
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from streamlit import config

from viz.app.server.guard import Guard, Sockets, hurried


async def fine(scope: Scope, receive: Receive, send: Send) -> None:
    await Response("fine")(scope, receive, send)


@pytest.mark.parametrize(
    ("host", "status"),
    [("class.example", 200), ("evil.example", 421), ("class.example.evil.example", 421), ("class.example:8501", 200)],
)
def test_where_names_are_set_pages_too_are_for_them_alone(
    host: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = config.get_option
    hosts = {"server.allowedHosts": ["class.example"]}
    monkeypatch.setattr(config, "get_option", lambda key: hosts.get(key, told(key)))
    found = TestClient(Guard(fine, (), {})).get("/", headers={"host": host})
    assert found.status_code == status
    assert found.headers["x-content-type-options"] == "nosniff"


def test_where_none_is_set_every_name_is_answered() -> None:
    assert TestClient(Guard(fine, (), {})).get("/", headers={"host": "any.example"}).status_code == 200


def test_pages_beyond_the_limit_are_refused_and_room_comes_back() -> None:
    sent: list[MutableMapping[str, Any]] = []
    free = asyncio.Event()

    async def waits(scope: Scope, receive: Receive, send: Send) -> None:
        await free.wait()

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    async def visit() -> None:
        guard = Guard(waits, (), {})
        guard.sockets = Sockets(2)
        scope = {"type": "websocket", "path": "/", "headers": [(b"host", b"hall")]}
        first = [asyncio.create_task(guard(dict(scope), AsyncMock(), send)) for _ in range(2)]
        await asyncio.sleep(0)
        await guard(dict(scope), AsyncMock(), send)
        assert [each["code"] for each in sent] == [1013]
        free.set()
        await asyncio.gather(*first)
        assert guard.sockets.open == 0
        await guard(dict(scope), AsyncMock(), send)
        assert len(sent) == 1

    asyncio.run(visit())


def pieces(*pauses: float) -> Receive:
    """A client who sends a piece of his body after each pause, and after the last one never anything."""
    left = list(pauses)

    async def receive() -> MutableMapping[str, Any]:
        if not left:
            await asyncio.sleep(60)
        await asyncio.sleep(left.pop(0))
        return {"type": "http.request", "body": b"x", "more_body": bool(left)}

    return receive


@pytest.mark.parametrize(
    ("pauses", "sorts"),
    [
        ((0.0, 0.0), ["http.request", "http.request"]),
        ((0.0, 60.0), ["http.request", "http.disconnect"]),
        ((0.06,) * 9, ["http.request", "http.request", "http.request", "http.disconnect"]),
    ],
)
def test_a_body_that_comes_too_slowly_is_a_client_who_left(pauses: tuple[float, ...], sorts: list[str]) -> None:
    async def read() -> list[str]:
        receive = hurried(pieces(*pauses), piece=0.15, whole=0.23)
        return [(await receive())["type"] for _ in sorts]

    assert asyncio.run(read()) == sorts
