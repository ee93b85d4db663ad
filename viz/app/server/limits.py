"""What one server bears at once: open sockets, and how slowly a request may come."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

from starlette.types import Receive

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
            message = await asyncio.wait_for(receive(), max(left, 0.0))
        except TimeoutError:
            more = False
            return {"type": "http.disconnect"}
        more = bool(message.get("more_body", False))
        return message

    return received
