"""Where the phones of a room find this machine."""

from __future__ import annotations

import re
import socket
from ipaddress import ip_address

# A UDP socket that is "connected" sends nothing; it only learns by which of this machine's addresses it would go.
_TOWARDS = ("10.255.255.255", "192.168.255.255", "172.31.255.255")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?|\[[0-9a-fA-F:.]{2,45}\]")


def own_addresses() -> list[str]:
    """This machine's addresses in networks, the likeliest first; [] where it is in none."""
    found: dict[str, None] = {}
    for other in _TOWARDS:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
            try:
                asked.connect((other, 9))
                found[asked.getsockname()[0]] = None
            except OSError:  # no way there
                continue
    return [each for each in found if not ip_address(each).is_loopback and each != "0.0.0.0"]  # noqa: S104


def is_host(said: str) -> bool:
    """Whether a text is a name or an address that a link can hold."""
    return _HOST.fullmatch(said) is not None


def link(host: str, port: int, prefix: str, code: str) -> str:
    """The link of a room.

    >>> link("192.168.1.5", 8501, "", "abc234")
    'http://192.168.1.5:8501/class/abc234'
    """
    below = f"/{prefix.strip('/')}" if prefix.strip("/") else ""
    return f"http://{host}:{port}{below}/class/{code}"
