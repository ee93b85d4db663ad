"""A class takes part, under /class: the phones' page and what it sends. With a class on, the network gets no more."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from viz.app.server.live import is_live
from viz.core.classroom.questions import MOST_NUMBER, MOST_SENTENCE, ClassError
from viz.core.classroom.room import EVERYBODY, Room, the_room
from viz.core.text import LANGUAGES, text
from viz.web.bundles import PHONE
from viz.web.page import source_hash

CLASS_PATH = re.compile(r".*/class(?:/(?P<code>[a-z0-9]{1,12})(?:/(?P<verb>join|now|answer|say|mine))?)?/?")
PHONE_PAGE = Path(__file__).with_name("phone.html")
MOST_BODY = 4096  # bytes
PATIENCE = 50.0  # seconds that a phone is let wait for news; a proxy between would often give up after 60
MOST_SLOW = 10.0  # seconds in which a body must be there
_STATUS = {"full": 403, "slow": 429, "seat": 401, "over": 409, "queue": 429, "closed": 404}
PHONE_WORDS = (
    *("title", "joining", "wait", "choose", "sending", "counted", "right", "send", "sentence", "queued", "private"),
    *(
        "half",
        "hundredths",
        "answer",
        "body",
        "closed",
        "empty",
        "failed",
        "full",
        "lost",
        "mine",
        "mine_keep",
        "mine_taken",
        "mine_use",
        "mistyped",
        "over",
        "own",
        "own_told",
        "queue",
        "seat",
        "slow",
    ),
)
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")
_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # the address holds the room's code
    "X-Robots-Tag": "noindex",
}


def is_class(path: str) -> bool:
    """Whether a path of the server is one of the class's."""
    return CLASS_PATH.fullmatch(path) is not None


def is_barred(scope: Scope) -> bool:
    """Whether somebody in the network asks for what, with a class on, this machine alone may see.

    The lecturer's stage has the answers and the queue. A request that a proxy passes on comes from the network.
    """
    if scope["type"] not in ("http", "websocket") or the_room() is None:
        return False
    if scope["type"] == "http" and (is_class(scope["path"]) or is_live(scope["path"])):
        return False
    told = Headers(scope=scope)
    client = scope.get("client") or ("", 0)
    return not _is_this_machine(client[0]) or any(name in told for name in _FORWARDED)


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host.removeprefix("::ffff:")).is_loopback
    except ValueError:
        return False


async def bar(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer what ``is_barred``; an ASGI application."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": "a class is on"})
        return
    said = "A class is on: scan the code on the stage. 课堂正在进行：请扫描讲台上的二维码。\n"
    await PlainTextResponse(said, status_code=403, headers=_HEADERS)(scope, receive, send)


async def serve(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request for the phones' page, or one that it sent; an ASGI application."""
    match = CLASS_PATH.fullmatch(scope["path"])
    assert match
    try:
        answer = await _answer(Request(scope, receive), the_room(), match["code"], match["verb"])
    except ClassError as error:
        answer = JSONResponse({"error": error.code}, status_code=_STATUS.get(error.code, 400))
    for name, value in _HEADERS.items():
        answer.headers[name] = value
    await answer(scope, receive, send)


async def _answer(request: Request, room: Room | None, code: str | None, verb: str | None) -> Response:
    if not verb:
        if request.method not in ("GET", "HEAD"):
            return PlainTextResponse("GET only\n", status_code=405)
        return _page(room is not None and _is_right(room, code))
    if request.method != "POST":
        return PlainTextResponse("POST only\n", status_code=405)
    if room is None or not _is_right(room, code):
        raise ClassError("closed")
    said = await _body(request)
    if verb == "join":
        phone = room.join(said.get("learner"))
        return JSONResponse({"phone": phone, "learner": room.learner(phone)})
    phone = room.seated(said.get("phone"))
    return await _VERBS[verb](room, phone, said)


def _is_right(room: Room, code: str | None) -> bool:
    """Whether this is the code of an open room; codes cannot be tried out fast."""
    if room.is_open and code == room.code:
        return True
    if not room.guesses.take(EVERYBODY):
        raise ClassError("slow")
    return False


async def _body(request: Request) -> Mapping[str, Any]:
    """The JSON object that was sent.

    Raises:
        ClassError: it is none, it is too large, or it comes too slowly.
    """
    # A page of another site can send no such body without asking first, which nobody answers.
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise ClassError("body")
    try:
        async with asyncio.timeout(MOST_SLOW):
            body = b""
            async for part in request.stream():
                body += part
                if len(body) > MOST_BODY:
                    raise ClassError("body")
        said = json.loads(body)
    except (TimeoutError, ValueError, RecursionError) as error:
        raise ClassError("body") from error
    if not isinstance(said, dict):
        raise ClassError("body")
    return said


async def _now(room: Room, phone: str, said: Mapping[str, Any]) -> Response:
    """What there is; at once where the phone does not know it, else as soon as it changes, or 204 if it does not."""
    if not room.asks.take(phone):
        raise ClassError("slow")
    if said.get("version") == room.version:
        await _news(room, phone)
    if not room.is_open:
        raise ClassError("closed")
    if said.get("version") == room.version:
        return Response(status_code=204)
    return Response(room.now(room.seated(phone)), media_type="application/json")


_Ear = tuple[asyncio.AbstractEventLoop, asyncio.Event]
_waiting: dict[str, _Ear] = {}  # one request a phone


@dataclass(frozen=True)
class _Bell:
    """Wakes every phone that waits on a loop, from any thread; one for all of them."""

    loop: asyncio.AbstractEventLoop

    def __call__(self) -> None:
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        for loop, ear in list(_waiting.values()):
            if loop is self.loop:
                ear.set()


async def _news(room: Room, phone: str) -> None:
    """Wait until the room changes, or the phone's patience ends, or it asks once more."""
    loop, ear = asyncio.get_running_loop(), asyncio.Event()
    if (earlier := _waiting.get(phone)) and earlier[0] is loop:
        earlier[1].set()
    _waiting[phone] = loop, ear
    version = room.version
    stop = room.listen(_Bell(loop))
    try:
        if room.version == version:
            async with asyncio.timeout(PATIENCE):
                await ear.wait()
    except TimeoutError:
        pass
    finally:
        stop()
        if _waiting.get(phone) == (loop, ear):
            del _waiting[phone]


async def _take(room: Room, phone: str, said: Mapping[str, Any]) -> Response:
    return JSONResponse({"counted": room.answer(phone, said.get("question"), said.get("answer"))})


async def _say(room: Room, phone: str, said: Mapping[str, Any]) -> Response:
    room.say(phone, said.get("text"))
    return JSONResponse({"counted": True})


async def _mine(room: Room, phone: str, said: Mapping[str, Any]) -> Response:
    return JSONResponse({"learner": room.name_learner(phone, said.get("learner"))})


_Verb = Callable[[Room, str, Mapping[str, Any]], Awaitable[Response]]
_VERBS: Mapping[str, _Verb] = {
    "now": _now,
    "answer": _take,
    "say": _say,
    "mine": _mine,
}


@cache
def _phone() -> tuple[str, str]:
    """The phones' page, and its policy."""
    words = {language: {name: text(language, f"class.phone.{name}") for name in PHONE_WORDS} for language in LANGUAGES}
    settings = json.dumps({"words": words, "number": MOST_NUMBER}, ensure_ascii=False, separators=(",", ":"))
    page = PHONE_PAGE.read_text(encoding="utf-8").replace("__SENTENCE__", str(MOST_SENTENCE))
    page = page.replace("__SETTINGS__", settings.replace("<", "\\u003c"))
    page = page.replace("__SCRIPT__", PHONE.read_text(encoding="utf-8"))
    hashes = " ".join(source_hash(each) for each in _INLINE.findall(page))
    policy = (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return page, policy


def _page(is_here: bool) -> Response:
    if not is_here:
        texts = [LANGUAGES[language]["class.phone.closed"] for language in ("en", "zh")]
        return PlainTextResponse("\n".join(texts) + "\n", status_code=404)
    page, policy = _phone()
    return HTMLResponse(page, headers={"Content-Security-Policy": policy})
