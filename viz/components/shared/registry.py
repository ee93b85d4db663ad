"""Components as Streamlit knows them: each a folder of .html, .css, .js and .py."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from viz.components.shared.bundle import bundle, scripts_of
from viz.state.language import Labels
from viz.theme import Theme

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

COMPONENTS = Path(__file__).resolve().parent.parent


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
        result: Mapping[str, Any] = self.renderer(key=key, data={**data, **dressed, **words}, **changes)
        return result


def register(name: str, labels: tuple[str, ...]) -> Component:
    """The component whose files are called ``name``; call it once, at import.

    What it shows goes in as data when it is mounted, never into its files, so a visitor's text is
    never read as markup or code. Beside its own look it has that of every script that it imports.

    Args:
        name: of its folder, and stem of its .html, .css and .js files.
        labels: the words that it needs.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: a script imports what is not there.
    """
    script = COMPONENTS / name / f"{name}.js"
    looks = [path.with_suffix(".css") for path in scripts_of(script)]
    renderer = st.components.v2.component(
        f"headlight_{name}",
        html=script.with_suffix(".html").read_text(encoding="utf-8"),
        css="\n".join(path.read_text(encoding="utf-8") for path in looks if path.is_file() or path.stem == name),
        js=bundle(script),
    )
    return Component(name, labels, renderer)
