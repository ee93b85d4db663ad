"""BertViz's drawing code as our documents run it: its own, with other sizes, read from the installed package."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import metadata
from pathlib import Path

ASSETS = Path(__file__).parent / "assets"
HEAD_SIZES = {
    "TEXT_SIZE": 17,
    "BOXWIDTH": 210,
    "BOXHEIGHT": 27,
    "MATRIX_WIDTH": 440,
    "CHECKBOX_SIZE": 28,
    "TEXT_TOP": 66,
}
MODEL_SIZES = {
    "DIV_WIDTH": 1180,
    "TEXT_SIZE": 15,
    "DETAIL_WIDTH": 470,
    "DETAIL_ATTENTION_WIDTH": 190,
    "DETAIL_BOX_WIDTH": 130,
    "DETAIL_BOX_HEIGHT": 21,
    "DETAIL_PADDING": 15,
    "DETAIL_HEADING_HEIGHT": 25,
    "HEADING_TEXT_SIZE": 15,
    "HEADING_PADDING": 5,
    "TEXT_PADDING": 5,
    "THUMBNAIL_PADDING": 5,
}
_ROW_HEIGHT = "7 * (12 / config.totalHeads)"


class BertVizError(RuntimeError):
    """BertViz is not installed, or not the version that this file knows."""


def frame_scripts() -> list[str]:
    """Every script that a document of ours with a drawing of BertViz's may hold: they are the same whatever is drawn.

    None where BertViz is not installed as expected: then there is no such document.
    """
    try:
        return [*libraries(), head_code(), model_code()]
    except BertVizError:
        return []


def bertviz_version() -> str:
    """Version of the installed BertViz.

    Raises:
        BertVizError: it is not installed.
    """
    return _distribution().version


def libraries() -> list[str]:
    """The scripts that stand before BertViz's: what it asks for, and what hands it its parameters."""
    return [asset("d3/d3.min.js"), asset("jquery/jquery.min.js"), asset("bertviz_lines.js")]


def head_code() -> str:
    """The script of its head view.

    Raises:
        BertVizError: BertViz is not installed as expected.
    """
    return _drawing_code("head_view.js", HEAD_SIZES)


def model_code() -> str:
    """The script of its model view; raises as ``head_code``."""
    return _replaced(_drawing_code("model_view.js", MODEL_SIZES), re.escape(_ROW_HEIGHT), "params.row_height")


@lru_cache(maxsize=8)
def asset(name: str) -> str:
    """A file that comes with these views."""
    return (ASSETS / name).read_text(encoding="utf-8")


@lru_cache(maxsize=4)
def _bertviz_source(name: str) -> str:
    path = Path(str(_distribution().locate_file("bertviz"))) / name
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise BertVizError(f"BertViz {bertviz_version()} has no {name}") from error


def _distribution() -> metadata.Distribution:
    # Asked for by its metadata: importing the package would load PyTorch and IPython for nothing.
    try:
        return metadata.distribution("bertviz")
    except metadata.PackageNotFoundError as error:
        raise BertVizError("BertViz is not installed") from error


def _drawing_code(name: str, sizes: Mapping[str, float]) -> str:
    code = _bertviz_source(name)
    for constant, value in sizes.items():
        code = _replaced(code, rf"const {constant} = [\d.]+;", f"const {constant} = {value};")
    return code


def _replaced(code: str, pattern: str, replacement: str) -> str:
    code, times = re.subn(pattern, replacement, code)
    if times != 1:
        raise BertVizError(f"BertViz {bertviz_version()} is not the version that this view knows: no {pattern!r}")
    return code
