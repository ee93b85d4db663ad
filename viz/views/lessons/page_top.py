"""A page that begins anew at its top when its subject is another; nothing of this is seen."""

from __future__ import annotations

from viz.core.language import within
from viz.widgets.registry import register

_component = register("page_top", ())


def page_top(shown: str, key: str) -> None:
    """Scroll up whenever ``shown`` has changed.

    Args:
        shown: names the page's subject.
        key: names this place on the page.
    """
    _component.mount({"shown": shown}, labels=within(""), key=key)
