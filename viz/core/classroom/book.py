"""What a class has said, in a file that outlives the server: answers, sentences, who has a seat; and as a table that a
spreadsheet opens and does not run."""

from __future__ import annotations

import csv
import io
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import RLock
from time import time

from viz.core.classroom.questions import of, unpacked

BOOK_FILE = "class.sqlite3"
# What a spreadsheet may read as the beginning of a formula, also where it is written full-width.
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠|%\t\r\n]")
SHEET_COLUMNS = ("question", "answer", "time", "first", "item", "form", "right", "learner", "half")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_TABLES = """
CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, said TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS people (room TEXT, phone TEXT, half TEXT NOT NULL, learner TEXT NOT NULL,
    PRIMARY KEY (room, phone));
CREATE TABLE IF NOT EXISTS questions (name TEXT PRIMARY KEY, said TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS keys (question TEXT PRIMARY KEY, answer TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS answers (room TEXT, question TEXT, phone TEXT, answer TEXT NOT NULL, first TEXT NOT NULL,
    at REAL NOT NULL, PRIMARY KEY (room, question, phone));
CREATE TABLE IF NOT EXISTS sentences (number INTEGER PRIMARY KEY, room TEXT, said TEXT NOT NULL,
    shown INTEGER NOT NULL);
"""
_STATE = "INSERT INTO state VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET said = excluded.said"
_ANSWER = """INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (room, question, phone) DO UPDATE SET answer = excluded.answer, at = excluded.at"""


@dataclass(frozen=True)
class GivenAnswer:
    """An answer without who gave it."""

    question: str  # packed
    # answer, first: the last answer, and the first one
    answer: str
    first: str
    at: float  # when (Unix time)
    key: str = ""  # the right answer to a lesson's question; "" of any other
    learner: str = ""  # of a lesson's question a code that answers of one learner share; "" of any other
    half: str = ""  # "A" or "B"; "" where nobody asked for halves


def _learner(key: object, code: object) -> str:
    """What a table says of a lesson's learner, by which nobody can answer as this learner."""
    return "" if key is None else sha256(f"learner {code}".encode()).hexdigest()[:10]


class Book:
    """One SQLite file (https://sqlite.org/wal.html); every line is written before it is acknowledged.

    Args:
        folder: where the file lies, or is made.
    """

    def __init__(self, folder: Path) -> None:
        self.lock = RLock()
        self._file = sqlite3.connect(folder / BOOK_FILE, check_same_thread=False, isolation_level=None)
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute("PRAGMA synchronous = NORMAL")  # a killed process loses nothing; a power cut may
        self._file.executescript(_TABLES)

    def _run(self, command: str, *values: object) -> list[tuple[object, ...]]:
        with self.lock:
            return self._file.execute(command, values).fetchall()

    def state(self, name: str) -> str:
        """What was kept under a name; "" for nothing."""
        found = self._run("SELECT said FROM state WHERE name = ?", name)
        return str(found[0][0]) if found else ""

    def keep(self, **said: str) -> None:
        """Keep each text under its name in place of what was there; all of them or none."""
        with self.lock, self._file:
            self._file.execute("BEGIN")
            self._file.executemany(_STATE, said.items())

    def seats(self, room: str) -> dict[str, str]:
        """The phones that have a seat, and the half of each."""
        found = self._run("SELECT phone, half FROM people WHERE room = ?", room)
        return {str(phone): str(half) for phone, half in found}

    def seat(self, room: str, phone: str, half: str, learner: str) -> None:
        """Give a phone a seat."""
        self._run("INSERT OR IGNORE INTO people VALUES (?, ?, ?, ?)", room, phone, half, learner)

    def learner(self, room: str, phone: str) -> str:
        """The code of who holds a phone; "" where it has no seat."""
        found = self._run("SELECT learner FROM people WHERE room = ? AND phone = ?", room, phone)
        return str(found[0][0]) if found else ""

    def name_learner(self, room: str, phone: str, learner: str) -> None:
        """Keep another code of who holds it, also for what was answered before."""
        self._run("UPDATE people SET learner = ? WHERE room = ? AND phone = ?", learner, room, phone)

    def ask(self, question: str, packed: str) -> None:
        """Keep what a question says."""
        self._run("INSERT OR IGNORE INTO questions VALUES (?, ?, ?)", question, packed, time())

    def keep_key(self, question: str, answer: str) -> None:
        """Keep the right answer to a lesson's question, which no phone is told before it is shown."""
        self._run("INSERT OR IGNORE INTO keys VALUES (?, ?)", question, answer)

    def answer(self, room: str, question: str, phone: str, answer: str) -> None:
        """Count a phone's answer, in place of the one that it gave before; the first one is remembered."""
        self._run(_ANSWER, room, question, phone, answer, answer, time())

    def answer_of(self, room: str, question: str, phone: str) -> str | None:
        """What a phone has answered."""
        found = self._run(
            "SELECT answer FROM answers WHERE room = ? AND question = ? AND phone = ?", room, question, phone
        )
        return str(found[0][0]) if found else None

    def answers(self, room: str, question: str) -> list[tuple[str, str]]:
        """One of each phone that has answered, after the half that it is in."""
        found = self._run(
            "SELECT half, answer FROM answers JOIN people USING (room, phone) WHERE room = ? AND question = ?",
            room,
            question,
        )
        return [(str(half), str(answer)) for half, answer in found]

    def given(self, room: str) -> list[GivenAnswer]:
        """Every answer, by question and time."""
        found = self._run(
            """SELECT said, answers.answer, first, answers.at, keys.answer, learner, half
            FROM answers JOIN people USING (room, phone) JOIN questions ON answers.question = name
            LEFT JOIN keys ON keys.question = name WHERE room = ? ORDER BY questions.at, answers.at""",
            room,
        )
        return [
            GivenAnswer(
                str(said), str(answer), str(first), float(str(at)), str(key or ""), _learner(key, learner), str(half)
            )
            for said, answer, first, at, key, learner, half in found
        ]

    def add_sentence(self, room: str, said: str) -> None:
        """Put a sentence into the queue."""
        self._run("INSERT INTO sentences (room, said, shown) VALUES (?, ?, 0)", room, said)

    def sentences(self, room: str) -> dict[int, str]:
        """The queue by number, oldest first: what was neither shown nor put aside."""
        found = self._run("SELECT number, said FROM sentences WHERE room = ? AND shown = 0 ORDER BY number", room)
        return {int(str(number)): str(said) for number, said in found}

    def take_sentence(self, number: int) -> None:
        """Take one out of the queue."""
        self._run("UPDATE sentences SET shown = 1 WHERE number = ?", number)

    def close(self) -> None:
        """Let the file go."""
        self._file.close()


def inert(cell: str) -> str:
    """A cell that no spreadsheet runs (https://owasp.org/www-community/attacks/CSV_Injection).

    >>> inert("=1+1"), inert("-3")
    ("'=1+1", '-3')
    """
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def answers_csv(titles: Sequence[str], given: Iterable[GivenAnswer], language: str) -> bytes:
    """A line an answer: question, answer, time (UTC), first move; nothing says who gave it.

    A lesson's question has four more: its template, when it was asked, whether the answer is right (``1`` or ``0``),
    and a code that a learner's answers share. The last is the half of the hall, and what that half saw, where there
    are halves. ``python -m model lessons report`` reads these.

    Args:
        titles: of the columns.
        given: the answers.
        language: of questions and options.

    Returns:
        CSV (RFC 4180) in UTF-8 with a byte order mark, by which spreadsheets know it.
    """
    file = io.StringIO()
    table = csv.writer(file, quoting=csv.QUOTE_ALL)
    table.writerow(map(inert, titles))
    for each in given:
        question = unpacked(each.question)
        at = datetime.fromtimestamp(each.at, UTC).strftime("%Y-%m-%d %H:%M:%S")
        answer, first = (question.label(said, language) for said in (each.answer, each.first))
        is_right = str(int(each.answer == each.key)) if each.key else ""
        cells = (of(question.ask, language), answer, at, first, question.item, question.form, is_right, each.learner)
        table.writerow(map(inert, (*cells, each.half)))
    return file.getvalue().encode("utf-8-sig")
