"""Another sentence is a step of the browser's history; nothing of this is seen."""

from __future__ import annotations

from viz.components.shared.registry import register
from viz.state.language import within

_component = register("sentence_steps", ())


def sentence_steps(sent: str, key: str) -> None:
    """Watch the box, its button and the examples.

    Args:
        sent: the text that the page is about.
        key: names this place on the page.
    """
    _component.mount({"sent": sent}, labels=within(""), key=key)
