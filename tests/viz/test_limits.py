"""Limits of one server: names that it answers to, pages open at once, and how slowly a body may come."""

from __future__ import annotations

import asyncio
import re
from collections.abc import MutableMapping
from typing import Any
from unittest.mock import AsyncMock

import pytest
from starlette.responses import Response
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from streamlit import config

from model.errors import MAX_PARTS
from tests.pages import choose, markup, opened, prepared, shipped, words
from viz.app.server.guard import Guard, Sockets, hurried
from viz.core.text import ENGLISH as STRINGS

pytestmark = shipped


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


TEXT = "I love you. The old *dog* sleeps! You love me."


def line(at) -> str:
    return re.search(r'<p class="hl-translation parts"[^>]*>(.*?)</p>', markup(at), re.DOTALL)[1]


def test_the_whole_translation_is_shown_and_the_views_are_about_the_sentence_that_is_chosen(en_zh) -> None:
    at = opened("one_head", text=TEXT)
    parts = [en_zh.translate(text).text for text in ("I love you.", "The old *dog* sleeps!", "You love me.")]
    assert line(at) == f"<mark>{parts[0]}</mark>{parts[1]}{parts[2]}"
    buttons = at.button_group(key="part_shown")
    assert list(buttons.options) == [
        r"1 · I love you\.",
        r"2 · The old \*dog\* sleeps\!",
        r"3 · You love me\.",
    ]
    buttons.set_value(2).run()
    assert not at.exception
    assert line(at) == f"{parts[0]}{parts[1]}<mark>{parts[2]}</mark>"
    assert at.session_state["part"] == "3"
    assert at.session_state["text"] == TEXT
    assert choose(at, part="7").session_state["part_shown"] == 0, "there is no such sentence"


def test_a_link_names_the_sentence_and_another_text_begins_at_its_first() -> None:
    at = prepared("one_head", text=TEXT)
    at.query_params["part"] = "3"
    choose(at)
    assert line(at).endswith("</mark>")
    at.text_input(key="text").set_value("You love me. I love you.")
    next(button for button in at.button if button.label == "Translate").click().run()
    assert line(at).startswith("<mark>")
    assert at.session_state["part"] == ""


def test_one_sentence_has_no_buttons() -> None:
    at = opened("one_head", text="I love you.")
    assert "<mark>" not in markup(at)
    assert not [group for group in at.get("button_group") if group.key == "part_shown"]


def test_too_many_sentences_are_refused_in_one_sentence() -> None:
    at = opened("one_head", text="I love you. " * (MAX_PARTS + 1))
    assert f"The text has {MAX_PARTS + 1} sentences; the limit is {MAX_PARTS}" in words(at)


def test_the_about_page_says_how_the_checkpoint_was_trained() -> None:
    at = choose(prepared("about"))
    name, value = STRINGS["about.name"], STRINGS["about.value"]
    tables = [table.value.to_dict("records") for table in at.dataframe]
    rows = {row[name]: row[value] for table in tables for row in table if name in row}
    assert {"optimizer", "weights_kept", "steps_done"} <= set(rows)
