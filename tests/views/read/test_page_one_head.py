"""One head: what it draws first, and what it makes before it is asked for."""

from __future__ import annotations

import pytest

from tests.pages import charts, opened, shipped
from viz.parts import drawing

SHORT, LONG = "A cat sleeps.", " ".join(["cats"] * (drawing.SHORT + 1))

pytestmark = shipped


@pytest.fixture
def made(monkeypatch):
    """Each sort of map that was asked of the model, in order."""
    found, real = [], drawing.drawn_maps

    def seen(*args):
        found.append(args[1])
        return real(*args)

    monkeypatch.setattr(drawing, "drawn_maps", seen)
    return found


@pytest.mark.parametrize(("sentence", "prepared"), [(SHORT, list(drawing.SOON)), (LONG, [])])
def test_maps_that_need_the_model_are_made_ahead_for_short_sentences(made, sentence, prepared):
    opened("one_head", text=sentence)
    assert made == prepared


def test_the_map_is_drawn_of_what_is_chosen_though_the_pickers_come_later():
    at = opened("one_head", text=SHORT)
    at.segmented_control(key="layer").set_value(1)
    at.segmented_control(key="head").set_value(4).run()
    at.selectbox(key="pick_drawn").select("scores").run()
    title = charts(at)[0]["layout"]["title"]["text"]
    assert title == "Cross · L1 H4 · scores"
