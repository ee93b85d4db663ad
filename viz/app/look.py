"""The look of the page, which may change while it is open."""

from __future__ import annotations

from viz.app.page_look import page_look


def follow() -> None:
    """Draw the page anew when the browser turns dark or light; nothing is seen of this."""
    page_look("hl_look")
