"""Phones are asked what the scene on stage asks, also after a sentence of the hall has become a scene."""

from __future__ import annotations

from pathlib import Path

import pytest

from viz.core.classroom.room import Room
from viz.export.show.sights import Sight, State
from viz.export.show.staged import Stage, Staged
from viz.export.show.storyboard import Both, Predict, Storyboard, TalkScene
from viz.views.talk import classroom


def asking(word: str) -> Staged:
    scene = TalkScene("I love you.")
    predict = Predict(Both(f"{word}?"), options=(Both("yes"), Both("no")), answer=1)
    return Staged(scene, Sight.__new__(Sight), State.__new__(State), (), predict, ())


def test_a_scene_after_the_halls_is_asked_as_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room, told, kept = Room(tmp_path), {}, {}
    monkeypatch.setattr(classroom, "message", lambda *_: told)
    monkeypatch.setattr(classroom.st, "session_state", kept)
    room.open()
    shown = Stage(Storyboard(Both(), ()), (asking("first"), asking("second"), asking("third")))

    def go(**link: str) -> tuple[str, bool, int | None]:
        told.clear()
        told.update({"scene": "", "click": "", "hall": ""} | link)
        classroom.follow(room, shown)
        assert room.question is not None
        return room.question.ask[0], room.is_asking, room.right

    assert go() == ("first?", True, None)
    assert go(scene="1", click="1") == ("first?", False, 1)
    assert go(scene="1", click="0", hall="1") == ("first?", False, None), "the hall's scene asks nothing"
    assert classroom.place_in(told, 3).scene == 0, "another sentence is shown as the same scene"
    assert go(scene="2", click="0") == ("second?", True, None)
    assert go(scene="2", click="1") == ("second?", False, 1)
    assert go(scene="99", click="<b>") == ("third?", True, None), "nonsense is the last scene or no click"
