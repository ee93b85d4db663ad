"""A sentence and what was made of it, token by token in one line; a click chooses the token for every view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypedDict

from viz.core.language import Labels
from viz.core.theme import Theme
from viz.widgets.messages import message
from viz.widgets.registry import register

LABELS = ("source", "target", "token", "chosen", "given")
_component = register("sentence_chips", LABELS)


class Chip(TypedDict):
    """One token.

    Attributes:
        text: of it.
        before: the text between the token before it and this one.
        special: it marks a beginning or an end.
        sure: how probable the model found it, 0 to 1; None where the model did not write it.
        reading: how it is said; "" for nothing.
    """

    text: str
    before: str
    special: bool
    sure: float | None
    reading: str


def sentence_chips(
    source: Sequence[Chip],
    target: Sequence[Chip],
    chosen: int | None,
    *,
    theme: Theme,
    labels: Labels,
    key: str,
    on_token: Callable[[int | None], None],
) -> None:
    """One line that scrolls where it is long.

    Args:
        source, target: the tokens.
        chosen: place of a target token; None for none.
        theme: the look.
        labels: gives the strings named in LABELS, in the visitor's language.
        key: names this place on the page.
        on_token: called with the place of a token that is clicked, or None where one is let go.
    """

    def picked() -> None:
        place = message(key, "token")
        if type(place) is int and -1 <= place < len(target):
            on_token(None if place == -1 else place)

    data = {"source": list(source), "target": list(target), "chosen": chosen}
    _component.mount(data, theme=theme, labels=labels, key=key, on_token_change=picked)
