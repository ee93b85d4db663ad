"""Components as Streamlit knows them, and which head a browser's message names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from model.analysis.faithfulness.evidence import telling_token
from model.trace import HeadRef, TracedTranslation
from viz.core.choice import Labels
from viz.core.session import chosen_token
from viz.core.theme import Theme
from viz.web.bundles import COMPONENTS, markup, module, style
from viz.widgets.errors import message

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer


def mount_heads(
    component: Component,
    data: Mapping[str, object],
    places: Sequence[HeadRef],
    *,
    selected: HeadRef | None,
    theme: Theme,
    labels: Labels,
    key: str,
    on_open: Callable[[HeadRef], None],
) -> HeadRef | None:
    """A component that opens one of the heads it shows; returns the one that was just opened, else None.

    Args:
        component: what to mount.
        data: what it shows, less what is selected, look and labels.
        places: the heads that it shows.
        selected: a head to mark.
        theme, labels, key: as ``Component.mount`` takes them.
        on_open: called with the head before the script runs again.
    """

    def opened() -> None:
        place = opened_place(message(key, "open"), places)
        if place is not None:
            on_open(place)

    marked = selected._asdict() if selected else None
    result = component.mount({**data, "selected": marked}, theme=theme, labels=labels, key=key, on_open_change=opened)
    return opened_place(result.get("open"), places)


def opened_place(value: object, places: Iterable[HeadRef]) -> HeadRef | None:
    """The head that a browser's message names; None where there is no such one among those shown."""
    if not isinstance(value, dict):
        return None
    asked = value.get("kind"), value.get("layer"), value.get("head")
    if any(type(number) is not int for number in asked[1:]):  # True is no layer
        return None
    return next((place for place in places if tuple(place) == asked), None)


def looked_at(found: TracedTranslation) -> int:
    """The place of the chosen one among written tokens; where none is chosen, of one to begin with: see its source."""
    outputs = found.trace.tgt_outputs
    chosen = chosen_token(len(outputs))
    return (telling_token(outputs, found.log_probs) or 0) if chosen is None else chosen


class Component:
    """One component, to be mounted with what it shows."""

    def __init__(self, name: str, labels: tuple[str, ...], renderer: ComponentRenderer) -> None:
        self.name, self.labels, self.renderer = name, labels, renderer

    def mount(
        self,
        data: Mapping[str, object],
        *,
        labels: Labels,
        key: str,
        theme: Theme | None = None,
        **changes: Any,  # functions; Streamlit types its other keywords too
    ) -> Mapping[str, Any]:
        """What the browser reports of it.

        Args:
            data: what it shows, less its look and its words.
            labels: gives the words that it declared, in the visitor's language.
            key: names this place on the page.
            theme: the look.
            changes: ``on_<name>_change``, called before the script runs again.

        Raises:
            KeyError: there is no such word.
        """
        words = {"labels": {name: labels(name) for name in self.labels}}
        dressed = {"look": {"dark": theme.is_dark, **theme.colours()}} if theme else {}
        return self.send({**data, **dressed, **words}, key=key, **changes)

    def send(self, data: Mapping[str, object] | bytes, *, key: str, **changes: Any) -> Mapping[str, Any]:
        """What the browser reports of it, where ``data`` says everything, its look and its words too."""
        result: Mapping[str, Any] = self.renderer(key=key, data=data, **changes)
        return result


def register(name: str, labels: tuple[str, ...] = (), *, bundle: Path = COMPONENTS) -> Component:
    """The component that ``bundle`` exports as ``name``; call it once, at import.

    What it shows goes in as data when it is mounted, never into its files, so a visitor's text is
    never read as markup or code.

    Args:
        name: of its markup in ``viz/web/src/components``, and of what mounts it.
        labels: the words that it needs.
        bundle: the built script that it is in.

    Raises:
        FileNotFoundError: a file is missing.
    """
    renderer = st.components.v2.component(
        f"headlight_{name}",
        html=markup(name),
        css=style(name),
        js=module(bundle, name),
    )
    return Component(name, labels, renderer)
