"""python -m viz.app.view_stills: runs the app's script for views that standard input names, and writes what they draw.

It is a process of its own because Streamlit's AppTest puts a stand-in where a running server has its runtime. What is
taken of a view is what stands below its pickers: text, components with what they were sent, Plotly's figures, tables.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from html import escape, unescape
from pathlib import Path
from typing import Any
from unittest.mock import PropertyMock, patch

from streamlit.runtime.context import ContextProxy
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Element
from streamlit.util import calc_hash

from viz.core.views import VIEWS

ROUTER = Path(__file__).resolve().parents[2] / "router.py"
RUN_SECONDS = 120  # of one view
NO_PICTURE = {"page_look", "page_top", "pin_keeper", "sentence_steps", "hall_box", "class_place", "workbench"}
OURS = "headlight_"
ROW_OVER = "hl_bar"  # the row over a view; what comes after it is the view
CLOSED = ("popover", "dialog", "form")
FOLDED = ("expander", "expandable", "status")
MOST_ROWS = 15  # of a table
PICTURES = ("<svg", "<mark", "<table")  # in a view's own markup


class _Theme:
    """As much of Streamlit's theme as the app asks for."""

    def __init__(self, look: str) -> None:
        self.type = look


class ElementTaker:
    """A view's elements as markup and parts."""

    def __init__(self) -> None:
        self.parts: list[dict[str, Any]] = []

    def block(self, node: Block) -> str:
        """A block's markup with all that is in it; "" for what is closed."""
        if node.type in CLOSED or (node.type in FOLDED and not getattr(node.proto, "expanded", True)):
            return ""
        inner = "".join(self.any(each) for each in node.children.values())
        if not inner:
            return ""
        name = key_of(node)
        classes = [f"st-key-{name}"] if name else []
        if is_row(node):
            classes.append("row")
        weight = f' style="flex:{node.proto.weight:.3f} 1 0"' if node.type == "column" else ""
        return f'<div class="{escape(" ".join(classes))}"{weight}>{inner}</div>'

    def any(self, node: Block | Element) -> str:
        """The markup of a block or an element."""
        return self.block(node) if isinstance(node, Block) else self.element(node)

    def element(self, node: Element) -> str:
        """An element's markup; "" for what is no picture and no text."""
        makers = {
            "html": self._html,
            "bidi_component": self._component,
            "plotly_chart": self._figure,
            "table": self._table,
            "arrow_table": self._table,
            "dataframe": self._table,
            "arrow_data_frame": self._table,
            "heading": self._heading,
        }
        made = makers.get(node.type)
        return made(node) if made else ""

    def _html(self, node: Element) -> str:
        body: str = node.proto.body
        return "" if is_style(node) else f"<div>{body}</div>"

    def _component(self, node: Element) -> str:
        proto = node.proto
        name = proto.component_name.removeprefix(OURS)
        if name in NO_PICTURE or proto.WhichOneof("data") != "json":
            return ""
        return self._part(name, json.loads(proto.json))

    def _figure(self, node: Element) -> str:
        figure = json.loads(node.proto.spec)
        return self._part("figure", {"data": figure.get("data", []), "layout": figure.get("layout", {})})

    def _part(self, name: str, data: Any) -> str:
        self.parts.append({"name": name, "data": data})
        return f'<div data-part="{len(self.parts) - 1}"></div>'

    def _table(self, node: Element) -> str:
        frame: Any = getattr(node, "value", None)
        if frame is None or not hasattr(frame, "to_html"):
            return ""
        made: str = frame.head(MOST_ROWS).to_html(index=False, border=0, escape=True)
        return made

    def _heading(self, node: Element) -> str:
        return f"<h3>{escape(node.proto.body)}</h3>"


def key_of(node: Block) -> str:
    """The key that a container was given; "" where it has none."""
    identifier = str(getattr(node.proto, "id", ""))
    return identifier.split("-", 2)[-1] if identifier.startswith("$$ID-") else ""


def is_row(node: Block) -> bool:
    """Whether a block's children stand side by side."""
    proto: Any = node.proto
    if node.type != "flex_container":
        return False
    direction = type(proto.flex_container).Direction
    return bool(proto.flex_container.direction == direction.HORIZONTAL)


def holds(node: Block | Element, key: str) -> bool:
    """Whether a block is, or has within it, the one of that key."""
    if not isinstance(node, Block):
        return False
    return key_of(node) == key or any(holds(each, key) for each in node.children.values())


def below_bar(page: Block) -> list[Block | Element]:
    """What the page draws after the row over the view, whether within the same container or after it."""
    children = list(page.children.values())
    place = next((place for place, each in enumerate(children) if holds(each, ROW_OVER)), None)
    if place is None:
        return []
    around = children[place]
    inside = below_bar(around) if isinstance(around, Block) and key_of(around) != ROW_OVER else []
    return [*inside, *children[place + 1 :]]


def is_style(node: Element | Block) -> bool:
    """Whether an element is a style sheet, which shows nothing itself."""
    return str(node.proto.body).lstrip().startswith("<style")


def rendered(view: str, query: Sequence[Sequence[str]], language: str, look: str) -> tuple[dict[str, Any], str]:
    """A view as a look shows it, and what is wrong with it.

    Args:
        view: its name.
        query: what its link says, pairs of choice and value.
        language: "en" or "zh".
        look: "light" or "dark".
    """
    app = AppTest.from_file(ROUTER, default_timeout=RUN_SECONDS)
    if view != next(iter(VIEWS)):
        app._page_hash = calc_hash(view)  # AppTest.switch_page knows files alone
    for name, value in [*query, ("lang", language)]:
        app.query_params[name] = value
    with patch.object(ContextProxy, "theme", new_callable=PropertyMock, return_value=_Theme(look)):
        app.run()
    if app.exception:
        return {}, str(app.exception[0].message)[:300]
    drawing = ElementTaker()
    made = "".join(drawing.any(each) for each in below_bar(app.main))
    style = "".join(dict.fromkeys(str(each.proto.body) for each in app.get("html") if is_style(each)))
    is_picture = drawing.parts or any(each in made for each in PICTURES)
    wrong = error_in(made) or ("" if is_picture else "it draws nothing that can be kept")
    return {"markup": made, "style": style, "parts": drawing.parts}, wrong


def error_in(markup: str) -> str:
    """The sentence of an error that stands in the markup; "" where there is none."""
    found = re.search(r'class="hl-error"[^>]*>(.*?)</', markup, re.DOTALL)
    return unescape(re.sub("<[^>]*>", "", found[1])).strip() if found else ""


def still(asked: Mapping[str, Any]) -> dict[str, Any]:
    """A view in both looks, and why there is no picture of it."""
    looks = {}
    for look in ("light", "dark"):
        made, wrong = rendered(asked["view"], asked["query"], asked["language"], look)
        if wrong:
            return {"looks": {}, "wrong": wrong}
        looks[look] = made
    return {"looks": looks, "wrong": ""}


def main() -> None:
    """Read what is asked as JSON, and write the stills as JSON."""
    asked = json.load(sys.stdin)
    answers, sys.stdout = sys.stdout, sys.stderr  # what is printed must not come between
    json.dump([still(each) for each in asked], answers, ensure_ascii=False)


if __name__ == "__main__":
    main()
