"""Every answer of a class is counted once, also when phones and the server come back; nobody gets more than he may."""

from __future__ import annotations

import csv
import io
import json
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from model.analysis.lessons.gains import gains, read_answers
from model.folders import argument_of
from tests.classroom.phones import NUMBER, QUESTION, Phone, machine
from viz.app.server import classroom as server
from viz.core.classroom import room as rooms
from viz.core.classroom.book import SHEET_COLUMNS, answers_csv, inert
from viz.core.classroom.questions import (
    MOST_BARS,
    MOST_SENTENCE,
    ClassError,
    ClassQuestion,
    bars,
    read_sentence,
    unpacked,
)
from viz.core.classroom.room import CLASS_OPTION, MOST_PEOPLE, MOST_QUEUE, Buckets, Room

FORMULAS = ('=HYPERLINK("http://x")', "+1+1", "-2+3", "@SUM(A1)", "\t=1", "＝1+1", " =1", "|calc")


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A server that was started with a class, whose folder this is."""
    monkeypatch.setattr(sys, "argv", ["app.py", f"--class={tmp_path}"])
    rooms._opened.cache_clear()
    yield tmp_path
    rooms._opened.cache_clear()


@pytest.fixture
def room(served: Path) -> Room:
    """An open room."""
    found = rooms.the_room()
    assert found is not None
    assert not found.is_open
    found.open()
    return found


def restarted(room: Room) -> Room:
    """The room as another process finds it: what the first one had not written is lost."""
    rooms._opened.cache_clear()
    found = rooms.the_room()
    assert found is not None
    assert found is not room
    return found


def test_sixty_phones_a_third_reconnecting_and_a_restart(room: Room) -> None:
    http = machine()
    room.ask(QUESTION)
    phones = [Phone(http, room.code) for _ in range(60)]
    for i, phone in enumerate(phones[:40]):
        assert phone.answer(i % 3) == (200, {"counted": str(i % 3)})
    again = restarted(room)
    assert again.code == room.code
    for i, phone in enumerate(phones):
        back = Phone(http, again.code, phone.name) if i % 3 == 0 else phone
        assert back.now()["mine"] == (str(i % 3) if i < 40 else None)
        assert back.answer(i % 3)[0] == 200  # those of before send theirs again
    assert again.people == 60
    assert again.tally() == {"0": 20, "1": 20, "2": 20}
    assert len(again.given()) == 60


def test_phones_that_answer_at_the_same_time_are_all_counted(room: Room) -> None:
    http = machine()
    room.ask(QUESTION)
    phones = [Phone(http, room.code) for _ in range(20)]
    threads = [
        threading.Thread(target=lambda p=phone, i=i: [p.answer((i + k) % 3) for k in range(3)])
        for i, phone in enumerate(phones)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert room.tally() == dict(Counter(str((i + 2) % 3) for i in range(20)))


def test_an_answer_may_change_and_the_first_is_remembered(room: Room) -> None:
    room.ask(QUESTION)
    phone = Phone(machine(), room.code)
    assert [phone.answer(option)[0] for option in (0, 2)] == [200, 200]
    [given] = room.given()
    assert (given.first, given.answer, unpacked(given.question)) == ("0", "2", QUESTION)
    assert room.tally() == {"0": 0, "1": 0, "2": 1}


def test_no_key_is_sent_before_it_was_shown(room: Room) -> None:
    phone = Phone(machine(), room.code)
    assert phone.now() == {"version": room.version, "asking": False}
    room.ask(QUESTION)
    before = phone.now()
    assert before.pop("right") is None
    assert set(before) == {"version", "asking", "question", "kind", "ask", "options", "mine"}
    room.stop_asking(1)
    assert phone.now()["right"] == 1
    room.ask(QUESTION)
    assert phone.now()["right"] is None
    assert set(json.loads(QUESTION.packed())) == {"kind", "ask", "options", "item", "form"}


def test_a_lessons_question_keeps_its_key_from_phones_and_its_learner_from_the_table(
    room: Room, tmp_path: Path
) -> None:
    def form(name: str) -> ClassQuestion:
        return ClassQuestion("choice", (name, ""), QUESTION.options, "4.cells", name)

    http = machine()
    phones = [Phone(http, room.code) for _ in range(3)]
    for name, places in (("before", (0, 1, 0)), ("after", (1, 1, 0))):
        room.ask(form(name), 1)
        for phone, place in zip(phones, places, strict=True):
            told = phone.now()
            assert told["right"] is None
            assert set(told) == {"version", "asking", "question", "kind", "ask", "options", "mine", "right"}
            assert phone.answer(place, form(name))[0] == 200
        room.stop_asking(1)
        assert phones[0].now()["right"] == 1
    room.ask(QUESTION)
    phones[0].answer(0)
    room = restarted(room)
    saved = answers_csv(SHEET_COLUMNS, room.given(), "en")
    assert not [phone.name for phone in phones if phone.name.encode() in saved]
    (tmp_path / "a.csv").write_bytes(saved)
    found = read_answers(tmp_path / "a.csv")
    assert [each.is_right for each in found] == [False, True, False, True, True, False]
    assert len({each.learner for each in found}) == 3
    [gained] = gains(found)
    assert (gained.learners, gained.pre, gained.post) == (3, 1 / 3, 2 / 3)
    assert gained.gain == pytest.approx(0.5)
    assert saved.decode().splitlines()[-1].endswith('"","","",""'), "a scene's answer says of nobody whose it is"


def test_another_question_a_closed_one_and_a_closed_room_take_nothing(room: Room) -> None:
    phone = Phone(machine(), room.code)
    assert phone.answer(0) == (409, {"error": "over"})
    room.ask(NUMBER)
    assert phone.answer(0) == (409, {"error": "over"})
    assert phone.answer(2.5, NUMBER) == (200, {"counted": "2.5"})
    room.stop_asking()
    assert phone.answer(3, NUMBER) == (409, {"error": "over"})
    room.end()
    assert phone.answer(0, NUMBER) == (404, {"error": "closed"})
    assert phone.http.get(f"/class/{room.code}").status_code == 404
    assert [each.answer for each in room.given()] == ["2.5"]


def test_a_new_room_knows_nobody_and_nothing_of_the_last(room: Room) -> None:
    room.ask(QUESTION)
    phone = Phone(machine(), room.code)
    phone.answer(0)
    first = room.code
    room.open()
    assert room.code != first
    assert phone.now() == {"error": "closed"}
    assert Phone(phone.http, room.code, phone.name).now() == {"error": "seat"}
    assert room.given() == []


@pytest.mark.parametrize("said", [-1, 3, True, "0", None, 0.0, [0], {"a": 1}, 10**400])
def test_what_is_no_option_is_no_answer(room: Room, said: object) -> None:
    room.ask(QUESTION)
    phone = Phone(machine(), room.code)
    assert phone.answer(said) == (400, {"error": "answer"})
    assert room.given() == []


@pytest.mark.parametrize("said", ["1", True, 1e10, None, [1]])
def test_what_is_no_number_is_none(said: object) -> None:
    with pytest.raises(ClassError):
        NUMBER.read(said)
    for wrong in (float("nan"), float("inf")):
        with pytest.raises(ClassError):
            NUMBER.read(wrong)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"{", "application/json"),
        (b"[]", "application/json"),
        (b"[" * 4000, "application/json"),
        (b'{"a": "' + b"x" * 5000 + b'"}', "application/json"),
        (b"{}", "text/plain"),
        (b"\xff\xfe", "application/json"),
    ],
)
def test_a_body_that_is_none_is_refused(room: Room, body: bytes, kind: str) -> None:
    answer = machine().post(f"/class/{room.code}/join", content=body, headers={"Content-Type": kind})
    assert (answer.status_code, answer.json()) == (400, {"error": "body"})
    assert room.people == 0


def test_a_hundred_and_no_more(room: Room) -> None:
    http = machine()
    room.joins = Buckets(1e6, 1e6)
    for _ in range(MOST_PEOPLE):
        Phone(http, room.code)
    answer = http.post(f"/class/{room.code}/join", json={})
    assert (answer.status_code, answer.json()) == (403, {"error": "full"})
    assert room.people == MOST_PEOPLE


def test_who_is_too_fast_waits_and_a_guess_of_a_code_is_slow(room: Room) -> None:
    room.moves.rate = room.guesses.rate = 0  # else a slow machine's buckets fill again meanwhile
    room.ask(QUESTION)
    phone = Phone(machine(), room.code)
    statuses = [phone.answer(0)[0] for _ in range(15)]
    assert statuses[:10] == [200] * 10
    assert 429 in statuses[10:]
    other = Phone(phone.http, room.code)
    assert other.answer(1)[0] == 200  # the others are not held up
    guesses = [phone.http.post("/class/aaaaaa/join", json={}).status_code for _ in range(30)]
    assert set(guesses) == {404, 429}
    assert phone.http.get(f"/class/{room.code}").status_code == 200


def test_sentences_wait_for_the_lecturer_alone(room: Room) -> None:
    phone = Phone(machine(), room.code)
    assert phone.post("say", text="  <b>My\u202e dog</b>\n is\x00 tired. ") == (200, {"counted": True})
    [(number, said)] = room.sentences().items()
    assert said == "<b>My dog</b> is tired."
    assert "dog" not in json.dumps(phone.now())
    room.put_on_stage(number)
    assert room.staged == (1, said)
    assert room.sentences() == {}
    room.put_on_stage(number)  # a second click
    assert room.staged == (1, said)


def test_a_queue_and_a_sentence_have_an_end(room: Room) -> None:
    room.says = Buckets(1e6, 1e6)
    for _ in range(MOST_QUEUE):
        room.say("phone", "A dog.")
    with pytest.raises(ClassError, match="queue"):
        room.say("phone", "A dog.")
    for wrong in ("", " \u200b ", "x" * (MOST_SENTENCE + 1), 5, None):
        with pytest.raises(ClassError, match="empty"):
            read_sentence(wrong)


def test_whoever_waits_is_told_at_once(room: Room) -> None:
    phone = Phone(machine(), room.code)
    version = phone.now()["version"]
    begun = time.monotonic()
    timer = threading.Timer(0.3, room.ask, [QUESTION])
    timer.start()
    found = phone.now(version)
    assert found["question"] == QUESTION.name
    assert 0.25 < time.monotonic() - begun < 10
    assert not room._bells


def test_who_knows_it_all_is_told_nothing_and_who_does_not_is_told_it(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "PATIENCE", 0.01)
    room.ask(QUESTION)
    phones = [Phone(machine(), room.code) for _ in range(2)]
    phones[0].answer(2)
    told = [phone.now() for phone in phones]
    assert [each.pop("mine") for each in told] == ["2", None]
    assert told[0] == told[1]
    assert phones[0].post("now", version=room.version) == (204, {})
    assert phones[0].post("now", version="another")[1]["mine"] == "2"
    before = room.version
    room.stop_asking(1)
    assert phones[0].post("now", version=before)[1]["right"] == 1


def test_one_bell_wakes_all_who_listen_by_it_until_the_last_has_left(room: Room) -> None:
    rung: list[int] = []

    def bell() -> None:
        rung.append(1)

    first, second = room.listen(bell), room.listen(bell)
    room.ask(QUESTION)
    first()
    room.stop_asking()
    assert len(rung) == 2
    second()
    room.ask(QUESTION)
    assert (len(rung), room._bells) == (2, {})


def test_what_a_room_is_is_kept_whole_or_not_at_all(room: Room) -> None:
    room.ask(QUESTION)
    wrong: Any = None
    with pytest.raises(sqlite3.IntegrityError):
        room.book.keep(question="", asking=wrong)
    assert unpacked(room.book.state("question")) == QUESTION
    room.stop_asking()
    assert room.book.state("asking") == "0", "and it is written on"


def test_an_answer_that_was_acknowledged_outlives_a_process_that_is_killed(room: Room) -> None:
    room.ask(QUESTION)
    phone = Phone(machine(), room.code)
    killed = """import os, signal, sys
from pathlib import Path
from viz.core.classroom.room import Room
room = Room(Path(sys.argv[1]))
print(room.answer(sys.argv[2], room.question.name, 2), flush=True)
os.kill(os.getpid(), signal.SIGKILL)"""
    command = [sys.executable, "-c", killed, str(room.folder), phone.name]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "2\n"), done.stderr
    assert restarted(room).tally() == {"0": 0, "1": 0, "2": 1}


def test_the_network_gets_the_phones_page_and_nothing_else(room: Room) -> None:
    phone, lecturer = machine(), machine("127.0.0.1")
    assert phone.get("/talk").status_code == 403
    assert lecturer.get("/talk").status_code == 404  # the application behind it has been asked
    assert lecturer.get("/talk", headers={"X-Forwarded-For": "10.0.0.9"}).status_code == 403
    page = phone.get(f"/class/{room.code}")
    assert page.status_code == 200
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert "http" not in page.text.replace("http-equiv", "")
    assert page.headers["Cache-Control"] == "no-store"


def test_without_the_option_there_is_no_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["app.py"])
    assert rooms.the_room() is None
    assert machine().get("/class/abcdef").status_code == 404
    assert machine().post("/class/abcdef/join", json={}).json() == {"error": "closed"}
    assert machine().get("/talk").status_code == 404


def test_a_spreadsheet_runs_nothing(room: Room) -> None:
    hostile = ClassQuestion("choice", (FORMULAS[0], ""), tuple((each, "") for each in FORMULAS))
    room.ask(hostile)
    for place in range(len(FORMULAS)):
        Phone(machine(), room.code).answer(place, hostile)
    rows = list(csv.reader(io.StringIO(answers_csv(SHEET_COLUMNS, room.given(), "en").decode("utf-8-sig"))))
    assert rows[0] == list(SHEET_COLUMNS)
    assert [row[1] for row in rows[1:]] == [f"'{each}" for each in FORMULAS]
    assert all(cell[0] == "'" for row in rows[1:] for cell in (row[0], row[3]))
    assert [inert(each) for each in ("-3", "1e-05", "two")] == ["-3", "1e-05", "two"]


def test_a_tally_of_numbers_shows_those_given_most() -> None:
    counted = bars(NUMBER, ["2", "10", "2", "-1", *map(str, range(20, 30))])
    assert list(counted)[:2] == ["-1", "2"]
    assert counted["2"] == 2
    assert len(counted) == MOST_BARS


def test_the_option_is_read_in_each_form() -> None:
    assert argument_of(CLASS_OPTION, ["--class", "here", "--models", "m"]) == "here"
    assert argument_of(CLASS_OPTION, ["--class=there"]) == "there"
    assert argument_of(CLASS_OPTION, ["--class", "--models", "m"]) == ""
    assert argument_of(CLASS_OPTION, ["--models", "m"]) is None
