"""What tests of the pages share: a page run through Streamlit's AppTest, and what stands on it or was sent."""

from __future__ import annotations

import base64
import json
import re
from html import unescape
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from model.folders import available
from viz.shell.views import VIEWS

APP = Path(__file__).resolve().parent.parent / "router.py"
SENTENCE = "My sister bought a red bicycle yesterday."
HOSTILE = "<img src=x onerror=alert(1)> </script> $x$ :red[y]"

shipped = pytest.mark.skipif("en-zh" not in available(), reason="the shipped checkpoint is not there")
reverse = pytest.mark.skipif("reverse" not in available(), reason="the toy checkpoint is not there")


def prepared(page: str = "", **choices: object) -> AppTest:
    """A page, or without its name the one that the app opens on, with these choices, not yet run."""
    at = AppTest.from_file(APP, default_timeout=300)
    if page:
        at.switch_page(VIEWS[page].file)
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


def components(at: AppTest) -> list[dict]:
    """What each component on the page was sent."""
    assert not at.exception
    return [json.loads(element.proto.json) for element in at.get("bidi_component")]


def sent(at: AppTest) -> dict:
    """What the first component on the page was sent."""
    return components(at)[0]


def charts(at: AppTest) -> list[dict]:
    """The Plotly figures on the page, each of whose properties Plotly knows."""
    assert not at.exception
    figures = [json.loads(element.proto.spec) for element in at.get("plotly_chart")]
    for figure in figures:
        go.Figure(figure, skip_invalid=False)
    return figures


def array(values: list | dict) -> np.ndarray:
    """The numbers of an array as Plotly writes it into JSON."""
    if isinstance(values, list):
        return np.array(values, dtype=float)
    flat = np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"])
    return flat.reshape([int(side) for side in str(values.get("shape", len(flat))).split(",")])
