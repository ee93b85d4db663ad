"""Scenes that are pictures of views: what is taken of a view, and the page that holds it."""

from __future__ import annotations

import json
import re

import pytest

from tests.pages import HOSTILE, reverse
from viz.app import view_stills
from viz.core.text import text
from viz.export.show import talk
from viz.export.show.command import open_named
from viz.export.show.handout import _paragraphs
from viz.export.show.staged import Stage, stage
from viz.export.show.storyboard import Both, Storyboard, StoryboardError, TalkScene
from viz.export.show.talk import Asked, RenderedView, ViewStill, asked_of

pytestmark = reverse
FLOW = TalkScene(
    "abcd", checkpoint="reverse", view="flow?step=2", title=Both("Flow"), points=(Both("one"), Both("two"))
)
PART = {"name": "flow_graph", "data": {"summary": HOSTILE}}


@pytest.fixture(scope="module")
def shown() -> Stage:
    return stage(Storyboard(Both("t"), (FLOW,), "reverse"), open_named)


def drawn(*parts: dict) -> ViewStill:
    look = RenderedView('<p>seen</p><div data-part="0"></div>', "<style>.own {}</style>", parts)
    return ViewStill({"light": look, "dark": look})


def test_a_view_is_taken_with_its_component_in_both_looks_and_without_the_frame() -> None:
    asked = asked_of(FLOW, "reverse", "en")
    assert asked == Asked("flow", (("step", "2"), ("text", "abcd"), ("checkpoint", "reverse")), "en")
    found = view_stills.still({"view": asked.view, "query": asked.query, "language": asked.language})
    assert found["wrong"] == ""
    light, dark = (found["looks"][look]["parts"] for look in ("light", "dark"))
    assert [part["name"] for part in light] == ["flow_graph"]
    assert light[0]["data"]["look"]["dark"] is False
    assert dark[0]["data"]["look"]["dark"] is True
    assert "st-key-hl_header" not in found["looks"]["light"]["markup"]


@pytest.mark.parametrize(
    ("view", "query", "drawn"),
    [
        ("train_here", {"task": "copy"}, ["plain_chart"]),
        ("swap", {"checkpoint": "en-zh", "text": "The cat sleeps.", "swap_word": "1", "swap_with": "dog"}, []),
        ("two_models", {"checkpoint": "reverse", "text": "abcd", "against": "reverse@100"}, ["figure", "head_board"]),
    ],
)
def test_views_of_words_runs_and_two_models_can_be_pinned(view: str, query: dict[str, str], drawn: list[str]) -> None:
    made, wrong = view_stills.rendered(view, list(query.items()), "en", "light")
    assert wrong == ""
    assert set(drawn) <= {part["name"] for part in made["parts"]}
    assert drawn or "<mark" in made["markup"]


def test_a_view_that_draws_nothing_has_no_picture() -> None:
    assert view_stills.rendered("pinboard", [], "en", "light")[1] == "it draws nothing that can be kept"


def test_a_view_that_this_model_lacks_is_one_sentence_and_no_picture() -> None:
    found = view_stills.still({"view": "training", "query": [("checkpoint", "tiny-gpt")], "language": "en"})
    assert found["looks"] == {}
    assert found["wrong"]


def test_the_page_has_the_picture_its_component_and_no_more_script_than_it_needs(shown, monkeypatch) -> None:
    monkeypatch.setattr(talk, "stills", lambda asked: [drawn(PART) for _ in asked])
    page = talk.talk_page(shown, "en")
    assert '<template id="still-1-dark"><style>.own {}</style>' in page
    assert page.count('<template id="component-flow_graph">') == 1
    assert len(page) < 1_000_000, "Plotly is there for figures alone"
    data = json.loads(re.search(r'id="scenes">(.*?)</script>', page, re.DOTALL)[1])
    assert data["stills"]["still-1"]["light"][0]["data"]["summary"] == HOSTILE
    assert [data["scenes"][0][name] for name in ("still", "points", "place")] == ["still-1", ["one", "two"], 0]
    assert "<img src=x" not in page


def test_a_picture_that_could_not_be_made_names_its_scene(shown, monkeypatch) -> None:
    monkeypatch.setattr(talk, "stills", lambda asked: [ViewStill({}, "no cross-attention.") for _ in asked])
    with pytest.raises(StoryboardError, match=r"^Scene 1: the view flow has no picture: no cross-attention\.$"):
        talk.talk_page(shown, "en")


def test_a_handout_names_the_view_and_says_the_points(shown) -> None:
    said = _paragraphs(shown.scenes[0], "en")
    assert said[0] == text("en", "handout.view", view=text("en", "page.flow"))
    assert said[1:3] == ["• one", "• two"]
