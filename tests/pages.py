"""What tests of the pages share: a page run through Streamlit's AppTest, and what stands on it or was sent."""

from __future__ import annotations

import base64
import json
import re
import struct
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import TypeVar

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from model.folders import available
from viz.charts.markup import Words
from viz.core.text import text

APP = Path(__file__).resolve().parent.parent / "router.py"
SENTENCE = "My sister bought a red bicycle yesterday."
CHIPS = "headlight_sentence_chips"  # which the frame shows over every view
PLAIN = "headlight_plain_chart"
FRAME = {
    CHIPS,
    "headlight_sentence_steps",
    "headlight_page_look",
    "headlight_pin_keeper",
}  # with what nobody sees of it
HOSTILE = "<img src=x onerror=alert(1)> </script> $x$ :red[y]"

shipped = pytest.mark.skipif("en-zh" not in available(), reason="the shipped checkpoint is not there")
reverse = pytest.mark.skipif("reverse" not in available(), reason="the toy checkpoint is not there")


def go_to(at: AppTest, page: str) -> AppTest:
    """The same app on another view; ``AppTest.switch_page`` knows files alone."""
    at._page_hash = calc_hash(page)
    return at


def prepared(page: str = "", **choices: object) -> AppTest:
    """A page, or without its name the one that the app opens on, with these choices, not yet run."""
    at = AppTest.from_file(APP, default_timeout=300)
    if page:
        go_to(at, page)
    for name, value in choices.items():
        at.session_state[name] = value
    return at


def opened(page: str, step: int | None = None, **choices: object) -> AppTest:
    """A page that ran with these choices, for ``SENTENCE`` unless they say another text; ``step`` is in its link."""
    at = prepared(page, **{"text": SENTENCE, **choices})
    if step is not None:
        at.query_params["step"] = str(step)
    return choose(at)


def choose(at: AppTest, **choices: object) -> AppTest:
    """The same page after it ran with these choices, without an exception."""
    for name, value in choices.items():
        at.session_state[name] = value
    at.run()
    assert not at.exception
    return at


def markup(at: AppTest) -> str:
    """The HTML that the page wrote, as it wrote it."""
    assert not at.exception
    return "\n".join(element.proto.body for element in at.get("html"))


def words(at: AppTest) -> str:
    """The text of that HTML, without its tags."""
    return unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", markup(at), flags=re.DOTALL))


def components(at: AppTest, frame: bool = False) -> list[dict]:
    """What each component on the page was sent; with ``frame``, that of the frame alone."""
    assert not at.exception
    every = [each.proto for each in at.get("bidi_component") if each.proto.WhichOneof("data") == "json"]
    wanted = {CHIPS} if frame else {each.component_name for each in every} - FRAME
    return [json.loads(each.json) for each in every if each.component_name in wanted]


def sent(at: AppTest) -> dict:
    """What the first component on the page was sent."""
    return components(at)[0]


@dataclass(frozen=True)
class Viewed:
    """What the viewer on a page was sent: its envelope, the header of its message, and the maps' bytes."""

    envelope: dict
    header: dict
    bytes: np.ndarray

    @property
    def link(self) -> dict[str, str]:
        """What is chosen, by letter."""
        return dict(part.split("=") for part in self.envelope["link"].split("&"))

    @property
    def sorts(self) -> dict[str, dict]:
        """The sorts that are there, by name."""
        return {sort["name"]: sort for sort in self.header["sorts"]}

    def maps(self, name: str, kind: str, shape: tuple[int, ...]) -> np.ndarray:
        """The values of a sort, [L, H, Q, K], as a byte each can hold them."""
        sort = self.sorts[name]
        part = sort["maps"][kind]
        size = part["layers"] * part["heads"] * shape[2] * shape[3]
        found = self.bytes[part["offset"] : part["offset"] + size].astype(float)
        values = (found - 128) / 127 if sort["signed"] else (found / 255) ** 2
        return np.broadcast_to(values.reshape(part["layers"], part["heads"], *shape[2:]), shape) * part["high"]


def viewed(at: AppTest) -> Viewed:
    """What the viewer on the page was sent."""
    assert not at.exception
    sent = next(each.proto.bytes for each in at.get("bidi_component") if each.proto.WhichOneof("data") == "bytes")
    parts, rest = [], sent
    for _ in range(2):
        length = struct.unpack_from("<I", rest)[0]
        parts.append(json.loads(rest[4 : 4 + length]))
        rest = rest[4 + length :]
    return Viewed(*parts, np.frombuffer(rest, np.uint8))


def charts(at: AppTest) -> list[dict]:
    """The Plotly figures on the page, each of whose properties Plotly knows."""
    assert not at.exception
    figures = [json.loads(element.proto.spec) for element in at.get("plotly_chart")]
    for figure in figures:
        go.Figure(figure, skip_invalid=False)
    return figures


def plain_charts(at: AppTest) -> list[dict]:
    """The plain charts on the page, with the numbers of their cells as a matrix, and of their series as vectors."""
    assert not at.exception
    every = [each.proto for each in at.get("bidi_component") if each.proto.component_name == PLAIN]
    found = [json.loads(each.json)["chart"] for each in every]
    for chart in found:
        if chart["cells"]:
            chart["cells"]["values"] = _floats(chart["cells"]["values"]).reshape(len(chart["rows"]), -1)
        for series in (*chart["bars"], *chart["curves"]):
            series["values"] = _floats(series["values"])
    return found


def _floats(packed: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(packed), "<f4").astype(float)


def array(values: list | dict) -> np.ndarray:
    """The numbers of an array as Plotly writes it into JSON."""
    if isinstance(values, list):
        return np.array(values, dtype=float)
    flat = np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"])
    return flat.reshape([int(side) for side in str(values.get("shape", len(flat))).split(",")])


W = TypeVar("W", bound=Words)


def english(words: type[W]) -> W:
    return words.said_by(lambda key: text("en", key))
