"""What stands between a browser and Streamlit: headers on every answer, and the address of the first view."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from viz.shell.server.policy import headers

OPENING = "/translate"  # Streamlit serves the view that it opens on at / alone


class Guard:
    """An ASGI application before another one, which it lets answer; ``frames`` as in ``headers``."""

    def __init__(self, app: ASGIApp, frames: Iterable[str]) -> None:
        self.app, self.headers = app, headers(frames)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; see https://asgi.readthedocs.io."""

        async def guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        app: ASGIApp = self.app
        if scope["type"] == "http" and scope["path"].rstrip("/") == OPENING:
            query = scope["query_string"].decode("latin-1")
            app = RedirectResponse(f"{scope.get('root_path', '')}/" + (f"?{query}" if query else ""))
        await app(scope, receive, guarded)


def guards(frames: Iterable[str]) -> list[Middleware]:
    """What the server is to put before Streamlit; ``frames`` as in ``headers``."""
    return [Middleware(Guard, frames=frames)]
