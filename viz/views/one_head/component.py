"""The viewer in the app: the whole trace travels once, and what is chosen there comes back."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import cast

import streamlit as st

from viz.core.theme import Theme
from viz.web.bundles import VIEWER
from viz.web.link import read_link, write_link
from viz.web.message import Envelope
from viz.widgets.messages import message, part
from viz.widgets.registry import register

_component = register("workbench", bundle=VIEWER)


def said(key: str) -> str | None:
    """What the viewer with this key has last told of its choices, as a link; None before it told any."""
    link = part(message(key, "said"), "link")
    return write_link(read_link(link)) if isinstance(link, str) else None


def workbench(
    packed: bytes,
    name: str,
    link: str,
    *,
    theme: Theme,
    below: int,
    key: str,
    on_said: Callable[[str], None],
) -> None:
    """The viewer, as high as the window leaves room.

    Args:
        packed: the message, as ``viz.web.payload.pack`` makes it.
        name: tells it from other messages.
        link: what is chosen, written as ``write_link`` does; the viewer follows where it is not what it told itself.
        theme: the look.
        below: pixels to be left free under it.
        key: names this place on the page.
        on_said: called with what the visitor has chosen, before the script runs again.
    """

    def told() -> None:
        if (now := said(key)) is not None:
            on_said(now)

    link, serial = _led(key, link)
    around = {"dark": theme.is_dark, "below": below}
    envelope = cast("Envelope", {"id": name, "link": link, "serial": serial, **around})
    _component.send(sent(packed, envelope), key=key, on_said_change=told)


def _led(key: str, link: str) -> tuple[str, int]:
    """The link that the viewer was last told to follow, and the number of times.

    Who is led loses what he has chosen since: only where something else has chosen for him. The same link told again
    has another number.
    """
    heard = message(key, "said")
    led = st.session_state.setdefault(f"_{key}", {"link": link, "serial": 1, "heard": heard})
    if link != (led["link"] if heard == led["heard"] else said(key)):
        led.update(link=link, serial=led["serial"] + 1, heard=heard)
    return led["link"], led["serial"]


def sent(packed: bytes, envelope: Envelope) -> bytes:
    """Length of the envelope (uint32, little-endian), envelope (JSON, UTF-8), message."""
    before = json.dumps(envelope).encode()
    return struct.pack("<I", len(before)) + before + packed
