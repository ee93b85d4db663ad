"""Components as Streamlit knows them: each a folderless trio of .html, .css and .js beside this file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

ASSETS = Path(__file__).parent
SHARED = "shared"


def register(name: str, scripts: tuple[str, ...] = ()) -> ComponentRenderer:
    """The mounting command of the component whose files are called ``name``; call it once, at import.

    What it shows goes in as data when it is mounted, never into its files, so a visitor's text is
    never read as markup or code.

    Args:
        name: stem of its .html, .css and .js files.
        scripts: stems of further .js files whose functions it uses, besides those that all share; a .css file
            of the same stem goes with each that has one.

    Raises:
        FileNotFoundError: a file is missing.
    """
    js = "\n".join(_asset(f"{stem}.js") for stem in (SHARED, *scripts, name))
    styled = [stem for stem in scripts if (ASSETS / f"{stem}.css").is_file()]
    css = "\n".join(_asset(f"{stem}.css") for stem in (SHARED, *styled, name))
    return st.components.v2.component(f"headlight_{name}", html=_asset(f"{name}.html"), css=css, js=js)


def _asset(file: str) -> str:
    return (ASSETS / file).read_text(encoding="utf-8")
