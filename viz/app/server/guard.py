"""What stands between a browser and Streamlit: headers, our scripts, the address of the first view, no waiting."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import time
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config, file_util
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from model.errors import HeadlightError
from viz.app.server import classroom, live
from viz.web.page import source_hash

MOST_SOCKETS = 2_000  # open pages; each has a session of Streamlit's
PIECE_SECONDS = 30.0  # until the next piece of a body
BODY_SECONDS = 300.0  # until all of it; an upload is small


class Sockets:
    """How many pages are open; each is a socket, which may be silent for as long as somebody reads."""

    def __init__(self, most: int = MOST_SOCKETS) -> None:
        self.most, self.open = most, 0

    @contextmanager
    def one_more(self) -> Iterator[bool]:
        """Whether there is room for another one, which is counted while the ``with`` lasts."""
        room = self.open < self.most
        self.open += room
        try:
            yield room
        finally:
            self.open -= room


def hurried(receive: Receive, piece: float = PIECE_SECONDS, whole: float = BODY_SECONDS) -> Receive:
    """A request's ``receive`` that takes a client for gone whose body comes too slowly, in seconds."""
    began, more = time.monotonic(), True

    async def received() -> MutableMapping[str, Any]:
        nonlocal more
        if not more:  # what comes now is that the client has left, whenever he does
            return await receive()
        left = min(piece, whole - (time.monotonic() - began))
        try:
            if left <= 0:
                raise TimeoutError
            async with asyncio.timeout(left):
                message = await receive()
        except TimeoutError:
            more = False
            return {"type": "http.disconnect"}
        more = bool(message.get("more_body", False))
        return message

    return received


_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
OPENING = "/translate"  # Streamlit serves the view that it opens on at / alone
ONCE_LINES = "/lines"  # a view of its own once, now a way of drawing in Heads
OTHER_HOST = "This server does not answer to that name; server.allowedHosts says to which."
FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable"}  # another text has another address


def policy(inline: Iterable[str], embed_from: Iterable[str] = ()) -> str:
    """The policy of a page whose own inline scripts are these, and which these sites may show in a frame.

    Streamlit makes a module of each component's script by way of ``blob:``, an address that no markup can make;
    its protocol buffers try WebAssembly; its styles, and Plotly's, are written into the page.
    """
    scripts = " ".join(["'self'", "blob:", "'wasm-unsafe-eval'", *sorted({source_hash(each) for each in inline})])
    rules = {
        "default-src": "'self'",
        "script-src": scripts,
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "worker-src": "'self' blob:",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": " ".join(["'self'", *embed_from]),
    }
    return "; ".join(f"{name} {allowed}" for name, allowed in rules.items())


def streamlits_scripts() -> list[str]:
    """The inline scripts of Streamlit's page, as it is installed."""
    page = Path(file_util.get_static_dir()) / "index.html"
    return _INLINE.findall(page.read_text(encoding="utf-8"))


def headers(frames: Iterable[str]) -> Mapping[str, str]:
    """What every answer of the server says to the browser; ``frames`` are the scripts of frames in its pages."""
    return {
        "Content-Security-Policy": policy([*streamlits_scripts(), *frames], embedders()),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",  # an address holds what a visitor typed
    }


class Guard:
    """An ASGI application before another one, which it lets answer.

    Args:
        app: the other one.
        frames: as in ``headers``.
        scripts: what it answers itself, by address below whatever the app stands under.
    """

    def __init__(self, app: ASGIApp, frames: Iterable[str], scripts: Mapping[str, bytes]) -> None:
        self.app, self.headers, self.sockets = app, headers(frames), Sockets()
        self.scripts = {
            address: Response(text, headers=FOR_GOOD, media_type="text/javascript") for address, text in scripts.items()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; see https://asgi.readthedocs.io."""

        async def guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        if classroom.is_barred(scope):
            return await classroom.bar(scope, receive, send)
        if scope["type"] == "websocket":
            return await self._socket(scope, receive, send)
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        if is_host_allowed(Headers(scope=scope).get("host")) and (own := _own_page(scope)):
            return await own(scope, hurried(receive), send)
        await self._page(scope)(scope, hurried(receive), guarded)

    def _page(self, scope: Scope) -> ASGIApp:
        """Who answers a request."""
        if not is_host_allowed(Headers(scope=scope).get("host")):
            return PlainTextResponse(OTHER_HOST, 421)
        if script := self.scripts.get("/".join(scope["path"].rsplit("/", 2)[1:])):
            return script
        return RedirectResponse(address) if (address := moved(scope)) else self.app

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a page's socket through, or refuse it before anybody else sees it."""
        with self.sockets.one_more() as room:
            if not room:
                await send({"type": "websocket.close", "code": 1013, "reason": "too many pages are open"})
            elif not is_from_here(scope, config.get_option("server.corsAllowedOrigins")):
                await send({"type": "websocket.close", "code": 1008, "reason": "another origin"})
            else:
                send_at_once(send)
                await self.app(scope, receive, send)


def moved(scope: Scope) -> str:
    """Where what stood at an address stands now; "" where that is the address itself.

    >>> moved({"path": "/lines", "query_string": b"layer=3"})
    '/one_head?layer=3&lines=head'
    """
    path, query = scope["path"].rstrip("/"), scope["query_string"].decode("latin-1")
    root = scope.get("root_path", "")
    if path == OPENING:
        return f"{root}/" + (f"?{query}" if query else "")
    if path != ONCE_LINES:
        return ""
    said = parse_qsl(query)
    drawn = [] if any(name == "lines" for name, _ in said) else [("lines", "head")]
    return f"{root}/one_head?" + urlencode([*said, *drawn])


def _own_page(scope: Scope) -> ASGIApp | None:
    """What answers a request in place of the app, with a policy of its own."""
    if live.is_live(scope["path"]):
        return live.serve
    return classroom.serve if classroom.is_class(scope["path"]) else None


def is_from_here(scope: Scope, allowed: Iterable[str]) -> bool:
    """Whether a socket is asked for by a page of this server, by one of the ``allowed`` origins, or by no page at all.

    Streamlit would also let in any page of this machine's other servers, and to find out what the machine is called it
    asks the network (``net_util.get_internal_ip``, ``get_external_ip``). So that it need not, an allowed origin is
    told to it as this server's own.
    """
    told = MutableHeaders(scope=scope)
    origin, host = told.get("origin"), told.get("host", "")
    if origin is None or urlsplit(origin).netloc == host:
        return True
    if origin not in allowed:
        return False
    told["origin"] = f"{urlsplit(origin).scheme}://{host}"
    return True


def send_at_once(send: Send) -> None:
    """Let each message of a connection leave when it is written, where uvicorn's own ``send`` tells the connection.

    A run sends some dozens of small messages. Streamlit makes its socket without naming TCP, by which asyncio would
    know to turn Nagle's algorithm off: the second message then waits up to 40 ms for the first to be acknowledged.
    """
    transport = getattr(getattr(send, "__self__", None), "transport", None)
    connection = transport.get_extra_info("socket") if transport is not None else None
    if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def guards(frames: Iterable[str], scripts: Mapping[str, bytes]) -> list[Middleware]:
    """What the server is to put before Streamlit; ``frames`` and ``scripts`` as in ``Guard``."""
    return [Middleware(Guard, frames=frames, scripts=scripts)]


EMBED_FROM = "HEADLIGHT_EMBED_FROM"  # origins, apart by spaces
_ORIGIN = re.compile(r"https?://(?:\*\.)?[A-Za-z0-9.-]+(?::\d{1,5})?")


def embedders() -> list[str]:
    """The sites that may show the app in a frame, as ``headlight serve --embed-from`` names them.

    Raises:
        HeadlightError: one is no origin: a scheme, a host, and perhaps a port.
    """
    named = os.environ.get(EMBED_FROM, "").split()
    if wrong := [each for each in named if not _ORIGIN.fullmatch(each)]:
        raise HeadlightError(f"{wrong[0]!r} is no origin: write https://example.org, or with a port")
    return named
