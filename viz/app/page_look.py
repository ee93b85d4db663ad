"""A page that is drawn anew when its look has changed while it was open; nothing of this is seen."""

from __future__ import annotations

from viz.core.language import within
from viz.widgets.registry import register

_component = register("page_look", ())


def page_look(key: str) -> None:
    """Run the script again whenever the browser's look has become another, light or dark.

    Args:
        key: names this place on the page.
    """
    _component.mount({}, labels=within(""), key=key, on_turned_change=lambda: None)
