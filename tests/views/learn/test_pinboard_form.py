"""The pinboard's form, and the sentence from the hall: what becomes of what was typed."""

from __future__ import annotations

import json
import struct
from dataclasses import replace

from tests.pages import HOSTILE, choose, prepared, reverse, words
from viz.export.show.reading import read_storyboard
from viz.export.show.storyboard import Both, Pointing, Predict, Storyboard, TalkScene, write_storyboard
from viz.views.pinboard.page import FIELDS, filled, predicted
from viz.views.talk.hall import answer, of_hall

NOTHING = dict.fromkeys(FIELDS, "")
SCENE = TalkScene("abcd", checkpoint="reverse", title=Both("one", "一"), link="h=c0.0&d=gradient@2&p=t1&w=1")


def test_a_question_needs_two_options_or_a_row() -> None:
    asks = {**NOTHING, "ask": "Which?"}
    assert predicted(None, asks) is None
    assert predicted(None, {**asks, "options": "only one"}) is None
    assert predicted(None, {**asks, "options": "a\n\nb", "answer": "B"}) == Predict(
        Both("Which?"), (Both("a"), Both("b")), 1
    )
    assert predicted(None, {**asks, "options": "a\nb", "answer": "D"}).answer == 1, "no option beyond the last"
    assert predicted(None, {**asks, "row": " 2 "}) == Predict(Both("Which?"), row="2")
    assert predicted(None, {**NOTHING, "options": "a\nb"}) is None


def test_a_form_changes_its_own_language_and_nothing_else() -> None:
    found = filled(SCENE, {**NOTHING, "title": HOSTILE, "note": "say [click] more", "points": "first\nsecond"})
    assert found.title == Both(HOSTILE, "一")
    assert found.points == (Both("first"), Both("second"))
    assert (found.text, found.link, found.fragments("en")) == (SCENE.text, SCENE.link, ["say", "more"])
    assert not found.live
    assert filled(found, {**NOTHING, "live": "True"}).live


def test_a_form_words_what_a_class_is_asked_in_its_own_language() -> None:
    before = replace(SCENE, point=Pointing(Both("", "哪个词？")))
    found = filled(before, {**NOTHING, "token": f" {HOSTILE} ", "head": "x" * 400, "phones": "open"})
    assert found.point.token == Both(HOSTILE, "哪个词？")
    assert len(found.point.head.en) == 300
    assert found.phones == "open"
    assert read_storyboard(write_storyboard(Storyboard(Both(), (found,)))).scenes == (found,)
    seen = filled(replace(SCENE, link="", view="flow"), {**NOTHING, "token": "Which?"})
    assert seen.point == Pointing(), "a view has no tokens to point at"
    assert seen.phones == "tap"


@reverse
def test_a_view_is_pinned_with_its_link_and_stands_on_the_board() -> None:
    at = prepared("flow", checkpoint="reverse", text="abcd")
    at.query_params["checkpoint"], at.query_params["step"] = "reverse", "2"
    choose(at)
    at.button(key="pin").click()
    choose(at)
    [scene] = at.session_state["_pins"]
    assert (scene.text, scene.checkpoint, scene.view.partition("?")[0]) == ("abcd", "reverse", "flow")
    assert scene.choices["step"] == "2"
    at.button(key="pin").click()
    choose(at)
    assert len(at.session_state["_pins"]) == 1, "the same view once"
    board = choose(prepared("pinboard"), _pins=(scene,))
    yaml = next(box for box in board.text_area if box.label == "The same as YAML")
    assert read_storyboard(yaml.value).scenes == (scene,)
    yaml.set_value("format: 1\nscenes: [{text: x, view: nowhere}]")
    choose(board)
    assert board.session_state["_pins"] == (scene,), "what is wrong changes nothing"
    assert "'nowhere' is no view" in words(board)
    yaml = next(box for box in board.text_area if box.label == "The same as YAML")
    yaml.set_value(write_storyboard(Storyboard(Both("New"), (scene, SCENE))))
    choose(board)
    assert board.session_state["_pins"] == (scene, SCENE)


@reverse
def test_a_sentence_from_the_hall_is_a_scene_or_one_sentence() -> None:
    assert of_hall(SCENE, "", "2 2").link == "h=c0.0&w=1"
    assert of_hall(TalkScene("x", view="flow"), "reverse", "2 2").view == ""
    board = Storyboard(Both(), (SCENE,), "reverse")
    told = [answer(board, text, 0, 1) for text in ("badc", "??")]
    good, bad = (json.loads(each[4 : 4 + struct.unpack("<I", each[:4])[0]]) for each in told)
    assert (good["error"], good["scene"]["title"], good["scene"]["place"]) == ("", "badc", 0)
    assert bad["error"]
    assert "scene" not in bad
