"""Components as Streamlit knows them: markup, a style sheet, and a function of a built script that mounts them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from viz.core.language import Labels
from viz.core.theme import Theme
from viz.web.bundles import COMPONENTS, markup, module, style

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer


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
