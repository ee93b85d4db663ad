"""Two halves of a hall: of equal size, each with its own picture, named in the table, compared in the report."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from model.analysis.lessons.gains import HALVES, AnswersError, as_table, gains, halves_gains, read_answers
from tests.classroom.phones import QUESTION
from viz.core.classroom.book import SHEET_COLUMNS, answers_csv
from viz.core.classroom.halves import HALF_LETTERS, MOST_PHONE_CELLS, PhonePicture, PhonePictureError, half_for
from viz.core.classroom.questions import ClassQuestion
from viz.core.classroom.room import Room

PICTURE = PhonePicture(("map", "图"), ("爱",), ("I", "love"), ((3, 97),))


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
    assert "picture" not in room.now(phones["A"]), "the hall is one"
    room.divide("picture")
    room.show((PICTURE, None))
    assert room.now(phones["A"])["picture"]["columns"] == ["I", "love"]
    assert room.now(phones["B"])["picture"] is None
    again = Room(room.folder)
    assert [again.now(phones[half])["half"] for half in HALF_LETTERS] == ["A", "B"]
    assert again.now(phones["A"])["picture"] == room.now(phones["A"])["picture"]
    again.ask(lesson("before"), 1)
    assert again.now(phones["A"])["picture"] is None
    again.divide("nonsense")
    assert again.split == "picture"
    again.divide("")
    assert "half" not in again.now(phones["A"])


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
