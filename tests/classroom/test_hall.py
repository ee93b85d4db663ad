"""What a scene asks a hall, and what each half of it sees: of equal size, each with its own picture, named in
the table, compared in the report."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from model.analysis.lessons.gains import HALVES, AnswersError, as_table, gains, halves_gains, read_answers
from model.trace import HeadRef
from tests.classroom.phones import QUESTION
from viz.core.classroom.book import SHEET_COLUMNS, answers_csv
from viz.core.classroom.halves import HALF_LETTERS, MOST_PHONE_CELLS, PhonePicture, PhonePictureError, half_for
from viz.core.classroom.questions import MOST_WORDING, ClassError, ClassQuestion, bars, unpacked
from viz.core.classroom.room import Room
from viz.core.selection import Selection
from viz.core.text import text
from viz.export.show.sights import Sight
from viz.export.show.staged import Stage, Staged
from viz.export.show.storyboard import Both, Pointing, Predict, Storyboard, TalkScene
from viz.views.talk import classroom, hall

PICTURE = PhonePicture(("map", "图"), ("爱",), ("I", "love"), ((3, 97),))


def told(room: Room, phone: str) -> dict:
    found: dict = json.loads(room.now(phone))
    return found


def lesson(form: str) -> ClassQuestion:
    return ClassQuestion("choice", (form, ""), QUESTION.options, "4.cells", form)


@pytest.fixture
def room(tmp_path: Path) -> Room:
    found = Room(tmp_path)
    found.open()
    return found


def test_halves_are_of_equal_size_and_drawn_by_lot() -> None:
    firsts = Counter()
    for _ in range(200):
        taken: list[str] = []
        for _ in range(20):
            taken.append(half_for(taken))
            counted = Counter(taken)
            assert abs(counted["A"] - counted["B"]) <= 1
        firsts[taken[0]] += 1
    assert min(firsts[letter] for letter in HALF_LETTERS) > 50


def test_each_half_is_sent_its_own_picture_and_none_beside_a_lessons_question(room: Room) -> None:
    phones = {room._seats[phone]: phone for phone in (room.join() for _ in range(6))}
    room.show((PICTURE, None))
    assert "picture" not in told(room, phones["A"]), "the hall is one"
    room.divide("picture")
    room.show((PICTURE, None))
    assert told(room, phones["A"])["picture"]["columns"] == ["I", "love"]
    assert told(room, phones["B"])["picture"] is None
    again = Room(room.folder)
    assert [told(again, phones[half])["half"] for half in HALF_LETTERS] == ["A", "B"]
    assert told(again, phones["A"])["picture"] == told(room, phones["A"])["picture"]
    again.ask(lesson("before"), 1)
    assert told(again, phones["A"])["picture"] is None
    again.divide("nonsense")
    assert again.split == "picture"
    again.divide("")
    assert "half" not in told(again, phones["A"])


def test_a_map_too_large_for_a_phone_is_refused() -> None:
    many = tuple(map(str, range(MOST_PHONE_CELLS + 1)))
    with pytest.raises(PhonePictureError):
        PhonePicture(("", ""), ("row",), many, ((0,) * len(many),))


def answered(room: Room, tmp_path: Path, right_of_a: int, right_of_b: int) -> Path:
    """A table of ten learners in each half: before, all but two are wrong; after, so many are right."""
    phones = [room.join() for _ in range(20)]
    halves = {half: [phone for phone in phones if room._seats[phone] == half] for half in HALF_LETTERS}
    for form, right in (("before", (2, 2)), ("after", (right_of_a, right_of_b))):
        room.ask(lesson(form), 1)
        for half, many in zip(HALF_LETTERS, right, strict=True):
            for place, phone in enumerate(halves[half]):
                room.answer(phone, lesson(form).name, int(place < many))
        expected = list(right) if room.split else []
        assert [counted["1"] for counted in room.tally_of_halves().values()] == expected
    (tmp_path / "a.csv").write_bytes(answers_csv(SHEET_COLUMNS, room.given(), "en"))
    return tmp_path / "a.csv"


def test_the_report_gives_each_halfs_gain_and_their_difference(room: Room, tmp_path: Path) -> None:
    room.divide("picture")
    found = read_answers(answered(room, tmp_path, 10, 4))
    assert Counter(each.half for each in found) == dict.fromkeys(HALVES["picture"], 20)
    [both] = halves_gains(found)
    assert [each.gain for each in both.gains] == pytest.approx([1.0, 0.25])
    assert both.difference == pytest.approx(0.75)
    assert 0 < both.low < both.difference < both.high
    assert "A picture − B no picture" in as_table(gains(found), [both])


def test_halves_that_gain_the_same_differ_by_nothing_and_an_undivided_hall_has_none(room: Room, tmp_path: Path) -> None:
    room.divide("votes")
    found = read_answers(answered(room, tmp_path, 6, 6))
    [both] = halves_gains(found)
    assert both.low < 0 < both.high
    room.open()
    path = answered(room, tmp_path, 10, 4)
    assert halves_gains(read_answers(path)) == []
    path.write_bytes(path.read_bytes().replace(b'"",""\r\n', b'"","C"\r\n').replace(b',""\r\n', b',"C"\r\n'))
    with pytest.raises(AnswersError, match="no half"):
        read_answers(path)


def asking(word: str) -> Staged:
    scene = TalkScene("I love you.")
    predict = Predict(Both(f"{word}?"), options=(Both("yes"), Both("no")), answer=1)
    return Staged(scene, Sight.__new__(Sight), Selection(), (), predict, ())


def test_a_scene_asks_for_its_own_tokens_and_heads(translator: Any) -> None:
    trace = translator.trace("Tom is Tom.", "汤姆").trace
    scene = replace(
        asking("?"), sight=SimpleNamespace(trace=trace), selection=Selection(heads=(HeadRef("cross", 0, 0),))
    )
    tokens, heads = (ask(scene, 1) for ask in (hall.token_question, hall.head_question))
    names = [english for english, _ in tokens.options]
    assert len(set(names)) == len(names) == len(trace.src)
    assert names[0] == trace.src[0].text
    assert f"{names[0]} (2)" in names, "a token that stands twice is told by its number"
    layers, per_layer = trace.weights["cross"].shape[:2]
    assert [english for english, _ in heads.options] == [f"L{n} H{h}" for n in range(layers) for h in range(per_layer)]


def pointed(translator: Any, **scene: Any) -> Staged:
    """A scene of a map that can be pointed at."""
    sight = Sight(translator, translator.trace("Tom is Tom.", "汤姆"))
    about = TalkScene("Tom is Tom.", **scene)
    return replace(asking("?"), scene=about, sight=sight, selection=Selection((HeadRef("cross", 0, 0),)), predict=None)


def test_a_scene_asks_to_point_in_the_words_of_its_file(translator: Any) -> None:
    words = Pointing(token=Both("Which word?", "哪个词？"), head=Both("", "哪个头？"))
    token, head = (ask(pointed(translator, point=words), 1) for ask in (hall.token_question, hall.head_question))
    assert token.ask == ("Scene 2: Which word?", "第 2 幕：哪个词？")
    assert head.ask == ("Scene 2: 哪个头？", "第 2 幕：哪个头？"), "one language stands for the other"
    assert hall.token_question(pointed(translator, point=words), 2).name != token.name, "each scene counts by itself"
    plain = hall.token_question(pointed(translator), 1)
    assert plain.ask[0] == text("en", "class.token.which", scene=2)
    assert plain.options == token.options


def test_the_desk_words_a_question_and_refuses_what_is_none(
    room: Room, translator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed: dict[str, Any] = {"class_own_en": " Which \n word? ", "class_own_zh": "哪个词？"}
    monkeypatch.setattr(classroom.st, "session_state", typed)
    monkeypatch.setattr(classroom, "say", lambda key, **values: text("en", key, **values))

    def asked(kind: str) -> ClassQuestion | None:
        room.question = None
        classroom.ask_own(room, kind)
        return room.question

    assert asked("token") is None, "no scene is on stage"
    scene = pointed(translator)
    room.pointable = (1, (hall.token_question(scene, 0), hall.head_question(scene, 0)))
    token, head, number = (asked(kind) for kind in ("token", "head", "number"))
    assert None not in (token, head, number)
    assert (token.kind, head.kind, number.kind) == ("token", "head", "number")
    assert token.ask == head.ask == ("Scene 1: Which word?", "第 1 幕：哪个词？")
    assert number.ask == ("Which word?", "哪个词？")
    assert typed["_class_refused"] == ""
    for wrong in ("x" * (MOST_WORDING + 1), 5, ["Which?"], "a\u202eb", "\x00"):
        typed["class_own_zh"] = wrong
        assert [asked(kind) for kind in ("token", "head", "number")] == [None] * 3
        assert typed["_class_refused"] == text("en", "class.own.wrong", most=MOST_WORDING)
    typed |= {"class_own_en": " ", "class_own_zh": ""}
    assert asked("number") is None
    assert typed["_class_refused"] == text("en", "class.own.empty")
    assert asked("token") == hall.token_question(scene, 0), "without words it has the class's own"


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


POINTED = ClassQuestion(
    "token", ("Which?", "哪个？"), tuple((name, name) for name in ("<b>", "the", "=1", "a", "b", "c", "the (2)"))
)


@pytest.mark.parametrize("said", [7, -1, 10**40, "1", "<b>", 1.0, True, None, [1]])
@pytest.mark.parametrize("kind", ["token", "head"])
def test_what_is_no_token_and_no_head_is_refused(kind: str, said: object) -> None:
    question = ClassQuestion(kind, POINTED.ask, POINTED.options)
    assert question.read(6) == "6"
    assert question.label("6", "en") == "the (2)"
    with pytest.raises(ClassError):
        question.read(said)


def test_the_tally_of_tokens_has_the_five_most_given_the_most_first() -> None:
    given = [str(place) for place, often in enumerate((1, 3, 2, 1, 1, 1, 4)) for _ in range(often)]
    assert list(bars(POINTED, given).items()) == [("6", 4), ("1", 3), ("2", 2), ("0", 1), ("3", 1)]
    assert unpacked(POINTED.packed()) == POINTED


def test_repeated_tokens_have_names_of_their_own() -> None:
    assert hall.unique(["the", "the (2)", "the", "the"]) == ["the", "the (2)", "the (3)", "the (4)"]


LINK = "live/#i=Tom&h=c0.0"


def test_phones_are_offered_a_scene_unless_a_map_would_answer(room: Room) -> None:
    phone = room.join()
    assert "scene" not in told(room, phone)
    room.lead(LINK, opens=True)
    assert told(room, phone)["scene"] == {"link": LINK, "opens": True}
    assert told(Room(room.folder), phone)["scene"]["link"] == LINK, "it outlives the server"
    room.ask(QUESTION)
    assert told(room, phone)["scene"] == {"link": LINK, "opens": False}, "nobody is taken away from a question"
    room.stop_asking(1)
    assert not told(room, phone)["scene"]["opens"], "nor from its answer"
    room.stop_asking()
    assert told(room, phone)["scene"]["opens"]
    room.divide("picture")
    assert "scene" not in told(room, phone), "each half has its own picture"
    room.divide("")
    room.ask(lesson("before"), 1)
    assert "scene" not in told(room, phone)
    room.lead(LINK)
    room.lead("")
    assert "scene" not in told(room, phone)
    room.lead(LINK)
    room.open()
    assert "scene" not in told(room, room.join()), "a new class begins with nothing"


@pytest.fixture
def live_page(tmp_path: Path, translator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that has the page of this translator."""
    (tmp_path / "index.html").write_text(json.dumps({"model": translator.name}, separators=(",", ":")))
    monkeypatch.setattr(sys, "argv", ["app.py", "--live", str(tmp_path)])


@pytest.mark.usefixtures("live_page")
def test_a_phone_gets_the_scene_as_it_stands_on_stage(translator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = pointed(translator)
    assert hall.on_phones(scene, "") == "live/#i=Tom+is+Tom.&h=c0.0"
    assert hall.on_phones(scene, "h=c1.1&p=t1&c=dark&f=1&d=votes&z=<b>&w=9") == (
        "live/#i=Tom+is+Tom.&h=c1.1&d=votes&p=t1"
    ), "the room's own look and nonsense stay here"
    assert hall.on_phones(scene, "", "A & b#c") == "live/#i=A+%26+b%23c&h=c0.0"
    given = hall.on_phones(pointed(translator, target="汤姆"), "")
    assert given.split("&")[1] == "y=0." + ".".join(map(str, scene.sight.translation.tgt_ids))
    monkeypatch.setattr(hall, "selected", lambda *_: scene.selection)  # this translator has no table of its best head
    viewed = pointed(translator, view="flow?layer=1&head=1&kind=cross&step=2&method=votes")
    assert hall.on_phones(viewed, "h=c0.0") == "live/#i=Tom+is+Tom.&h=c1.1&d=votes&p=t1"
    nonsense = hall.on_phones(pointed(translator, view="flow?layer=<b>&step=x&method=z"), "")
    assert nonsense == hall.on_phones(pointed(translator, view="flow"), "")
    monkeypatch.setattr(sys, "argv", ["app.py"])
    assert hall.on_phones(scene, "") == "", "no page is served"


@pytest.mark.usefixtures("live_page")
def test_phones_follow_the_stage_as_the_file_lets_them(
    room: Room, translator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: dict[str, str] = {}
    monkeypatch.setattr(classroom, "message", lambda *_: said)
    monkeypatch.setattr(classroom.st, "session_state", {})
    scenes = [pointed(translator, phones=each) for each in ("tap", "open", "none")]
    asks = replace(scenes[0], predict=Predict(Both("?"), (Both("a"), Both("b"))))
    shown = Stage(Storyboard(Both(), ()), (*scenes, asks))

    def led(**place: str) -> dict | None:
        said.clear()
        said.update({"scene": "", "click": "", "hall": "", "shown": "", "text": ""} | place)
        classroom.lead(room, shown)
        found: dict | None = told(room, room.join()).get("scene")
        return found

    here = "live/#i=Tom+is+Tom.&h=c0.0"
    assert led(scene="1") == {"link": here, "opens": False}
    assert led(scene="1", shown="h=c1.0") == {"link": here.replace("c0.0", "c1.0"), "opens": False}
    assert led(scene="2") == {"link": here, "opens": True}
    assert led(scene="3") is None
    assert led(scene="4", click="0") is None, "its question stands"
    assert led(scene="4", click="1") == {"link": here, "opens": False}
    assert led(scene="4", hall="1", text="He is.") == {"link": "live/#i=He+is.&h=c0.0", "opens": False}
