"""The scripts and styles that a browser gets, as they were built."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

WEB = Path(__file__).resolve().parent
SOURCES, DIST = WEB / "src", WEB / "dist"
VIEWER, COMPONENTS, NOTEBOOK = DIST / "viewer.js", DIST / "components.js", DIST / "notebook.js"
LIVE, ENGINE = DIST / "live.js", DIST / "engine.js"  # of the page that translates by itself, and of its worker
PHONE = DIST / "phone.js"  # of the page that a phone opens in a class
STAGE = DIST / "stage.js"  # viewer and components: a talk with views in it
VIEWER_STYLE, TALK_STYLE = SOURCES / "viewer" / "viewer.css", SOURCES / "talk" / "talk.css"
LIVE_STYLE = SOURCES / "live" / "live.css"
RUNTIME = WEB / "vendor" / "onnxruntime-web" / "ort-wasm-simd-threaded.wasm.gz"


@cache
def address(bundle: Path) -> str:
    """Where the app serves a bundle, below its own address; another text has another address, so it may be kept."""
    return f"headlight/{bundle.stem}.{hashlib.sha256(bundle.read_bytes()).hexdigest()[:16]}.js"


def served() -> Mapping[str, bytes]:
    """The bundles that the app's components are in, by address."""
    return {address(bundle): bundle.read_bytes() for bundle in (VIEWER, COMPONENTS)}


def module(bundle: Path, name: str) -> str:
    """An ES module whose default export is what a bundle exports by this name.

    Streamlit sends a component's script with every change of it, and makes a module of it by way of ``blob:``. This one
    is a line; the bundle itself a browser fetches once, for all components.
    """
    where = f'new URL("{address(bundle)}", location.href)'
    return f"const {{ {name}: mount }} = await import({where});\nexport default mount;\n"


@cache
def _look(name: str) -> tuple[str, str]:
    """A component's own style sheet and its markup, which are one file.

    Raises:
        FileNotFoundError: there is no such component.
    """
    both = (SOURCES / "components" / name / f"{name}.html").read_text(encoding="utf-8")
    sheet, markup_of_it = both.removeprefix("<style>\n").split("</style>\n", 1)
    return sheet, markup_of_it


def markup(name: str) -> str:
    """The HTML of a component, before anything is in it.

    Raises:
        FileNotFoundError: there is no such component.
    """
    return _look(name)[1]


@cache
def _styles() -> dict[str, str]:
    made: dict[str, str] = json.loads((DIST / "styles.json").read_text(encoding="utf-8"))
    return made


def own_style(name: str) -> str:
    """A component's own style sheet, for a page that has styles already: without the one that it imports first."""
    return _look(name)[0].removeprefix('@import "../../ui/component.css";')


def style(name: str) -> str:
    """The style sheet of a component, with those of all scripts that it imports.

    Raises:
        FileNotFoundError: there is none, or npm run build has not been run since.
    """
    try:
        return _styles()[name]
    except KeyError:
        raise FileNotFoundError(f"{DIST / 'styles.json'} has no style sheet of {name}") from None
