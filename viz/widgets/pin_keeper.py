"""The pinboard's place in the visitor's browser, which a reload leaves alone."""

from __future__ import annotations

from collections.abc import Callable

from viz.core.language import say
from viz.widgets.messages import message, part
from viz.widgets.registry import register

_component = register("pin_keeper", ())


def pin_keeper(board: str, known: bool, *, key: str, on_found: Callable[[str], None]) -> None:
    """Nothing to be seen: it keeps the board, or hands over the one that it finds.

    Args:
        board: the storyboard's text; "" for an empty one.
        known: whether what the browser keeps has been read, or need not be: else it is not written over.
        key: names this place on the page.
        on_found: called with what was kept, before the script runs again.
    """

    def found() -> None:
        kept = part(message(key, "found"), "board")
        if isinstance(kept, str):
            on_found(kept)

    _component.mount({"board": board, "known": known}, labels=say, key=key, on_found_change=found)
