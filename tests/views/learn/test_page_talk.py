from __future__ import annotations

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from model.trace import HeadRef
from tests.pages import SENTENCE, choose, markup, opened, prepared, shipped, words
from viz.core.text import ENGLISH as STRINGS
from viz.export.show.reading import read_storyboard
from viz.export.show.storyboard import Both, Storyboard, StoryboardError, TalkScene, write_storyboard
from viz.widgets import pins

pytestmark = shipped
HOSTILE = "<img src=x onerror=alert(1)>"
PINS = (
    TalkScene("I love you.", checkpoint="en-zh", link="h=c0.0", app="one_head?text=I+love+you.", title=Both(HOSTILE)),
    TalkScene("You love me.", checkpoint="en-zh", link="h=c1.1&w=1", title=Both("two")),
)


def played(at: AppTest) -> dict:
    """The talk on the page."""
    [frame] = at.get("iframe")
    [data] = re.findall(r'id="scenes">(.*?)</script>', frame.proto.srcdoc, re.DOTALL)
    return json.loads(data)


def linked(**link: str) -> AppTest:
    at = prepared("talk")
    for name, value in link.items():
        at.query_params[name] = value
    return choose(at)


def kept(at: AppTest) -> dict:
    """What the browser is told to keep."""
    assert not at.exception
    sent = [each.proto for each in at.get("bidi_component")]
    [data] = [each.json for each in sent if each.component_name == "headlight_pin_keeper"]
    return json.loads(data)


def test_a_link_opens_a_talk_and_another_is_chosen() -> None:
    at = linked(storyboard="which-picture", scene="3", click="1")
    assert played(at)["title"] == "Which picture deserves trust?"
    at.selectbox(key="talk_chosen").select("off-by-one").run()
    assert played(at)["title"] == "Why off by one?"
    assert not {"scene", "click"} & set(at.query_params), "the place was one in the other talk"
    assert "no longer shows" not in words(at)


@pytest.mark.parametrize(
    "link",
    [{"storyboard": HOSTILE}, {"storyboard": "../x"}, {"storyboard": "attention", "scene": HOSTILE, "click": "9" * 99}],
)
def test_a_link_that_means_no_talk_is_one_sentence_and_another_talk(link) -> None:
    at = linked(**link)
    assert played(at)["scenes"]
    assert ("There is no talk called" in words(at)) == ("scene" not in link)


def test_the_talk_speaks_chinese_in_the_chinese_interface() -> None:
    at = linked(storyboard="attention", lang="zh")
    talk = played(at)
    assert (talk["language"], talk["title"], talk["words"]["on"]) == ("zh", "十分钟看懂注意力", "下一步")


def test_a_talk_that_cannot_be_played_is_one_sentence() -> None:
    scene = TalkScene("x", checkpoint="no/such", link="h=c9.9")
    at = choose(prepared("talk"), _pins=(scene,), talk_chosen="pins")
    assert not at.get("iframe")
    assert "Scene 1: there is no model 'no/such'" in words(at)


def test_an_expectation_that_fails_is_said_and_the_talk_is_played() -> None:
    scene = TalkScene("I love you.", expect=(f"translation contains {HOSTILE}",))
    at = choose(prepared("talk"), _pins=(scene,), talk_chosen="pins")
    assert f"Scene 1 no longer shows what it expects: translation contains {HOSTILE}" in words(at)
    assert len(played(at)["scenes"]) == 1


def test_a_picture_is_pinned_with_its_state_once() -> None:
    at = opened("one_head", kind="cross", layer=2, head=5, words=True)
    at.button(key="pin").click()
    choose(at)
    board = read_storyboard(kept(at)["board"])
    assert [(scene.text, scene.checkpoint) for scene in board.scenes] == [(SENTENCE, "en-zh")]
    assert board.scenes[0].link.startswith(f"h={HeadRef('cross', 2, 5).code}&w=1")
    assert kept(at)["known"]
    assert at.button(key="pin").disabled


def test_the_pinboard_shows_moves_and_takes_off() -> None:
    at = choose(prepared("pinboard"), _pins=PINS)
    assert len(at.get("image")) == 2
    assert STRINGS["pins.none"] not in words(at)
    assert 'href="./one_head?text=I+love+you."' in "".join(each.proto.body for each in at.get("html"))
    assert [box.value for box in at.text_input if box.label == "Caption"] == [HOSTILE, "two"]
    next(button for button in at.button if button.label == "↓").click()
    choose(at)
    assert [scene.text for scene in read_storyboard(kept(at)["board"]).scenes] == ["You love me.", "I love you."]
    next(button for button in at.button if button.label == "Take off").click()
    choose(at)
    assert [scene.text for scene in at.session_state["_pins"]] == ["I love you."]
    next(box for box in at.text_input if box.label == "Caption").set_value("new")
    choose(at)
    assert at.session_state["_pins"][0].title.of("zh") == "new"
    next(button for button in at.button if button.label == "Take off").click()
    assert STRINGS["pins.none"] in words(choose(at))


def test_a_board_that_the_browser_kept_comes_first_and_nonsense_changes_nothing(monkeypatch) -> None:
    state: dict = {"_pins": PINS[:1]}
    monkeypatch.setattr(pins.st, "session_state", state)
    pins._found(write_storyboard(Storyboard(Both(), (PINS[1], PINS[0]))))
    assert state["_pins"] == (PINS[1], PINS[0])
    assert state["_pins_known"]
    for bad in ("a: &a [*a]", HOSTILE, "", "format: 1\nscenes: [{text: [1]}]"):
        pins._found(bad)
        assert state["_pins"] == (PINS[1], PINS[0])


@pytest.mark.parametrize(
    "bad",
    [
        b"\xff\xfe",
        "a0: &a [x]\nb: [*a, *a]",
        "format: !!python/object/apply:os.system [ls]\nscenes: []",
        "format: 1\nscenes: 7",
        f"format: 1\nminutes: {'9' * 5000}\nscenes: []",
        "format: 1\nscenes: [{text: x, app: 'javascript:alert(1)'}]",
        f"format: 1\nscenes: [{{text: x, link: {HOSTILE!r}}}]",
    ],
)
def test_a_hostile_pinboard_file_is_one_sentence_and_loses_no_pin(monkeypatch, bad) -> None:
    state: dict = {"_pins": PINS}
    monkeypatch.setattr(pins.st, "session_state", state)
    with pytest.raises(StoryboardError) as caught:
        pins.add(bad)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300
    assert state == {"_pins": PINS}


def test_a_pin_of_a_model_that_is_not_there_is_one_sentence_beside_the_others() -> None:
    lost = TalkScene("x", checkpoint=HOSTILE, title=Both("lost"))
    at = choose(prepared("pinboard"), _pins=(PINS[0], lost))
    assert markup(at).count('role="alert"') == 1
    assert f"there is no model {HOSTILE!r}" in words(at)
    assert "<img" not in markup(at)
    assert len(at.get("image")) == 1
    assert [box.value for box in at.text_input if box.label == "Caption"] == [HOSTILE, "lost"]
