"""Which head a browser's message names."""

from __future__ import annotations

from collections.abc import Iterable

from model.trace import Kind

Place = tuple[Kind, int, int]  # kind, layer, head


def opened_place(value: object, places: Iterable[Place]) -> Place | None:
    """The head that a browser's message names; None where there is no such one among those shown."""
    if not isinstance(value, dict):
        return None
    asked = value.get("kind"), value.get("layer"), value.get("head")
    if any(type(number) is not int for number in asked[1:]):  # True is no layer
        return None
    return next((place for place in places if place == asked), None)
