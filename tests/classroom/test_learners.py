"""A learner's code: one learner's tests of several classes are told to be one learner's, and a mistyped code is not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from model.analysis.lessons.gains import gains, read_answers
from tests.classroom.phones import QUESTION, Phone, machine
from viz.core.classroom import room as rooms
from viz.core.classroom.book import SHEET_COLUMNS, answers_csv
from viz.core.classroom.questions import (
    CODE_SIGNS,
    LEARNER_LENGTH,
    ClassError,
    ClassQuestion,
    new_learner,
    read_learner,
)
from viz.core.classroom.room import Room


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Room:
    """An open room."""
    monkeypatch.setattr(sys, "argv", ["app.py", f"--class={tmp_path}"])
    rooms._opened.cache_clear()
    found = rooms.the_room()
    assert found is not None
    found.open()
    yield found
    rooms._opened.cache_clear()


def asked(room: Room, form: str, phones: list[Phone], places: list[int], into: Path) -> Path:
    """The table of a room in which each phone answered one question of a lesson, whose key is option 1."""
    question = ClassQuestion("choice", (form, ""), QUESTION.options, "4.cells", form)
    room.ask(question, 1)
    for phone, place in zip(phones, places, strict=True):
        assert phone.answer(place, question)[0] == 200
    into.write_bytes(answers_csv(SHEET_COLUMNS, room.given(), "en"))
    return into


def joined(room: Room, **said: object) -> tuple[str, str]:
    """The seat and the code of who joins."""
    found = machine().post(f"/class/{room.code}/join", json=said).json()
    return found["phone"], found["learner"]


@pytest.mark.parametrize("is_typed", [False, True], ids=["kept", "typed"])
def test_a_week_later_in_another_class_a_learner_is_the_same(room: Room, tmp_path: Path, is_typed: bool) -> None:
    http = machine()
    first = [joined(room) for _ in range(3)]
    codes = [code for _, code in first]
    assert len(set(codes)) == 3
    before = asked(room, "before", [Phone(http, room.code, name) for name, _ in first], [0, 1, 0], tmp_path / "a.csv")
    room.open()
    second = [joined(room, **({} if is_typed else {"learner": code})) for code in codes]
    phones = [Phone(http, room.code, name) for name, _ in second]
    if is_typed:
        for phone, code in zip(phones, codes, strict=True):
            assert phone.post("mine", learner=f" {code[:4].upper()}-{code[4:]} ") == (200, {"learner": code})
    else:
        assert [code for _, code in second] == codes
    week = asked(room, "week", phones, [1, 1, 0], tmp_path / "b.csv")
    [gained] = gains([*read_answers(before), *read_answers(week)])
    assert (gained.form, gained.learners, gained.pre, gained.post) == ("week", 3, 1 / 3, 2 / 3)
    assert not [code for code in codes if code.encode() in before.read_bytes() + week.read_bytes()]


def test_without_their_codes_they_are_others(room: Room, tmp_path: Path) -> None:
    http = machine()
    before = asked(room, "before", [Phone(http, room.code) for _ in range(3)], [0, 1, 0], tmp_path / "a.csv")
    room.open()
    week = asked(room, "week", [Phone(http, room.code) for _ in range(3)], [1, 1, 0], tmp_path / "b.csv")
    assert len({each.learner for each in [*read_answers(before), *read_answers(week)]}) == 6


@pytest.mark.parametrize("said", [None, 7, "", "abc", "=1+1", "i" * LEARNER_LENGTH, "<script>", ["a"] * LEARNER_LENGTH])
def test_what_is_no_code_is_refused_and_the_drawn_one_stays(room: Room, said: object) -> None:
    name, code = joined(room, learner=said)
    assert read_learner(code) == code
    phone = Phone(machine(), room.code, name)
    assert phone.post("mine", learner=said) == (400, {"error": "mistyped"})
    assert room.learner(name) == code


def test_every_wrong_sign_and_every_exchange_of_neighbours_is_found() -> None:
    code = new_learner()
    wrong = {code[:i] + sign + code[i + 1 :] for i in range(LEARNER_LENGTH) for sign in CODE_SIGNS} - {code}
    wrong |= {code[:i] + code[i + 1] + code[i] + code[i + 2 :] for i in range(LEARNER_LENGTH - 1)} - {code}
    assert len(wrong) >= LEARNER_LENGTH * (len(CODE_SIGNS) - 1)
    for each in wrong:
        with pytest.raises(ClassError, match="mistyped"):
            read_learner(each)
