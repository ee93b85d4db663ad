"""One head: what it draws first, and what it makes before it is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from model.folders import available
from viz import cached, drawing

ROOT = Path(__file__).resolve().parent.parent
SHORT, LONG = "A cat sleeps.", " ".join(["cats"] * (drawing.SOON + 1))

pytestmark = pytest.mark.skipif("en-zh" not in available(), reason="the shipped checkpoint is not there")


@pytest.fixture
def made(monkeypatch):
    """Each sort of map that was asked of the model, in order."""
    found, real = [], cached.drawn_maps

    def seen(*args):
        found.append(args[4])
        return real(*args)

    monkeypatch.setattr(cached, "drawn_maps", seen)
    return found


def opened(sentence: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).switch_page("viz/pages/one_head.py")
    at.session_state["text"] = sentence
    at.run()
    assert not at.exception
    return at


@pytest.mark.parametrize(("sentence", "prepared"), [(SHORT, list(drawing.BY_MODEL)), (LONG, [])])
def test_maps_that_need_the_model_are_made_ahead_for_short_sentences(made, sentence, prepared):
    opened(sentence)
    assert made == prepared


def test_the_map_is_drawn_of_what_is_chosen_though_the_pickers_come_later():
    at = opened(SHORT)
    at.segmented_control(key="layer").set_value(1)
    at.segmented_control(key="head").set_value(4).run()
    at.selectbox(key="drawn").select("scores").run()
    assert not at.exception
    title = json.loads(at.get("plotly_chart")[0].proto.spec)["layout"]["title"]["text"]
    assert title == "Cross · L1 H4 · scores"
