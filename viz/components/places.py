"""Which head a browser's message names, and the components that send such messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from model.trace import Kind

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

Place = tuple[Kind, int, int]  # kind, layer, head


def mount_heads(
    mount: ComponentRenderer,
    data: Mapping[str, object],
    places: Sequence[Place],
    *,
    selected: Place | None,
    key: str,
    on_open: Callable[[Kind, int, int], None],
) -> Place | None:
    """A component that opens one of the heads it shows; returns the one that was just opened, else None.

    Args:
        mount: its mounting command.
        data: what it shows, less what is selected.
        places: the heads that it shows.
        selected: a head to mark.
        key: names this place on the page.
        on_open: called with kind, layer and head before the script runs again.
    """

    def opened() -> None:
        place = opened_place(st.session_state[key].get("open"), places)
        if place is not None:
            on_open(*place)

    marked = dict(zip(("kind", "layer", "head"), selected, strict=True)) if selected else None
    result = mount(key=key, data={**data, "selected": marked}, on_open_change=opened)
    return opened_place(result.get("open"), places)


def opened_place(value: object, places: Iterable[Place]) -> Place | None:
    """The head that a browser's message names; None where there is no such one among those shown."""
    if not isinstance(value, dict):
        return None
    asked = value.get("kind"), value.get("layer"), value.get("head")
    if any(type(number) is not int for number in asked[1:]):  # True is no layer
        return None
    return next((place for place in places if place == asked), None)
