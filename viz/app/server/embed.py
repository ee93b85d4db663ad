"""Which sites may show the app in a frame of theirs."""

from __future__ import annotations

import os
import re

from model.errors import HeadlightError

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
