"""Another sentence is a step of the browser's history; nothing of this is seen."""

from __future__ import annotations

from viz.core.language import within
from viz.widgets.registry import register

_component = register("sentence_steps", ())


def sentence_steps(sent: str, key: str) -> None:
    """Watch the box, its button and the examples.

    Args:
        sent: the text that the page is about.
        key: names this place on the page.
    """
    _component.mount({"sent": sent}, labels=within(""), key=key)
