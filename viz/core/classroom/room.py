"""The class of this server: who is in the room, what is asked, what was answered. One a process, closed at first."""

from __future__ import annotations

import json
import secrets
import sys
import tempfile
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from threading import RLock
from time import monotonic
from typing import Any

from model.analysis.lessons.gains import HALVES
from model.folders import argument_of
from viz.core.classroom.book import Book, GivenAnswer
from viz.core.classroom.halves import HALF_LETTERS, PhonePicture, half_for, packed_pictures
from viz.core.classroom.questions import (
    CODE_SIGNS,
    ClassError,
    ClassQuestion,
    bars,
    new_learner,
    read_learner,
    read_sentence,
    unpacked,
)

CLASS_OPTION = "--class"
MOST_PEOPLE = 100
MOST_QUEUE = 200  # sentences that wait
CODE_LENGTH = 6
EVERYBODY = "all"


class Room:
    """A room with a code, a question, seats, answers and a queue of sentences.

    Where its file knows a room that was open, it is open again, with all that was in it.

    Args:
        folder: where its file lies.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock = RLock()
        self.book = Book(folder)
        self.code = self.book.state("code")  # of the last room, whose answers can still be read
        self.is_open = self.book.state("open") == "1"
        said = self.book.state("question")
        self.question: ClassQuestion | None = unpacked(said) if said else None
        self.is_asking = self.book.state("asking") == "1"
        self.right: int | None = None
        self._seats = self.book.seats(self.code)
        self.split = self.book.state("split")  # a key of HALVES; "" where the hall is one
        self._pictures: list[dict[str, Any] | None] = json.loads(self.book.state("pictures") or "[null, null]")
        self._led: dict[str, Any] = json.loads(self.book.state("led") or "{}")  # see ``lead``
        self.pointable: tuple[int, tuple[ClassQuestion, ...]] = (0, ())  # number of the scene on stage; what it can ask
        self._epoch, self._count = secrets.token_hex(4), 0
        self._told: dict[str, bytes] = {}  # by half, what all its phones show; of this version
        self.staged = (0, "")  # how manyth sentence of the hall is on stage, and which
        self._bells: Counter[Callable[[], None]] = Counter()
        self.joins = Buckets(20, MOST_PEOPLE)
        self.guesses = Buckets(2, 20)  # of codes, by everybody together
        self.moves = Buckets(1, 10)  # answers of a phone
        self.says = Buckets(0.1, 3)  # sentences of a phone
        self.asks = Buckets(2, 20)  # of a phone, what there is

    # What the lecturer does.

    def open(self) -> None:
        """Open a new room: a new code, no seats taken, nothing asked."""
        with self.lock:
            self.code = "".join(secrets.choice(CODE_SIGNS) for _ in range(CODE_LENGTH))
            self.is_open, self._seats, self.question = True, {}, None
            self.split, self._pictures, self._led = "", [None, None], {}
            self._keep()

    def end(self) -> None:
        """Close it: no phone gets or sends anything any more; the answers can still be saved."""
        with self.lock:
            self.is_open = self.is_asking = False
            self._keep()

    def ask(self, question: ClassQuestion, key: int | None = None) -> None:
        """Ask; the same question once more goes on counting. A lesson's ``key`` is kept for the table."""
        with self.lock:
            if (question, True) == (self.question, self.is_asking):
                return
            self.question, self.is_asking, self.right = question, True, None
            if question.item:
                self._pictures, self._led = [None, None], {}  # nothing to look a lesson's answer up in
            self.book.ask(question.name, question.packed())
            if key is not None:
                self.book.keep_key(question.name, str(key))
            self._keep()

    def divide(self, split: str) -> None:
        """Let both halves see different pictures, a key of ``HALVES``; "" for no difference any more.

        Who is in which half was assigned by lot when he came in. The table of answers names halves from then on.
        """
        with self.lock:
            if split == self.split or (split and split not in HALVES):
                return
            self.split, self._pictures = split, [None, None]
            if split:
                self.book.keep(**{f"halves {self.code}": split})
            self._keep()

    def show(self, pictures: Sequence[PhonePicture | None]) -> None:
        """Show each half its picture; None for none."""
        with self.lock:
            said = json.loads(packed_pictures(pictures))
            if said != self._pictures:
                self._pictures = said
                self._keep()

    def lead(self, link: str, *, opens: bool = False) -> None:
        """Offer every phone what is on stage, to be computed on the phone itself.

        A divided hall is offered nothing, since each half has its own picture.

        Args:
            link: of the page that translates by itself, see ``live_link``; "" offers nothing any more.
            opens: phones go there by themselves, unless a question stands or its answer is shown.
        """
        with self.lock:
            led = {"link": link, "opens": opens} if link else {}
            if led != self._led:
                self._led = led
                self._keep()

    def stop_asking(self, right: int | None = None) -> None:
        """Take no more answers; ``right`` is the option's place that phones are told now, and not before."""
        with self.lock:
            if self.is_asking or right != self.right:
                self.is_asking, self.right = False, right
                self._keep()

    def put_on_stage(self, number: int) -> None:
        """Take a sentence of the queue, and show it wherever the talk is open."""
        with self.lock:
            if said := self.book.sentences(self.code).get(number):
                self.book.take_sentence(number)
                self.staged = (self.staged[0] + 1, said)

    def put_aside(self, number: int) -> None:
        """Take a sentence out of the queue unseen."""
        self.book.take_sentence(number)

    def sentences(self) -> Mapping[int, str]:
        """The queue by number, oldest first."""
        return self.book.sentences(self.code)

    def tally(self) -> Mapping[str, int]:
        """How often each answer to the question was given; {} where there is none."""
        with self.lock:
            return bars(self.question, self.answers()) if self.question else {}

    def tally_of_halves(self) -> Mapping[str, Mapping[str, int]]:
        """The tally of each half, by its letter; {} where there are none."""
        with self.lock:
            question = self.question
            if not self.split or not question:
                return {}
            given = Counter(self.book.answers(self.code, question.name))
            return {
                letter: {answer: given[letter, answer] for answer in bars(question, self.answers())}
                for letter in HALF_LETTERS
            }

    def answers(self) -> list[str]:
        """One of each phone that has answered the question."""
        return [answer for _, answer in self.book.answers(self.code, self.question.name)] if self.question else []

    def given(self) -> list[GivenAnswer]:
        """Every answer of this room, with its half and what that saw, where the hall was divided."""
        names = dict(zip(HALF_LETTERS, HALVES.get(self.book.state(f"halves {self.code}"), ("", "")), strict=True))
        return [replace(each, half=names[each.half]) for each in self.book.given(self.code)]

    @property
    def people(self) -> int:
        """Seats that are taken."""
        return len(self._seats)

    # What a phone does.

    def join(self, learner: object = None) -> str:
        """A seat: the name of a phone, which nobody can guess and which says nothing of it.

        Args:
            learner: a code from an earlier class, which the phone kept; where it is none, a new one is made.

        Raises:
            ClassError: the room is full, or too many come at once.
        """
        with self.lock:
            if len(self._seats) >= MOST_PEOPLE:
                raise ClassError("full")
            if not self.joins.take(EVERYBODY):
                raise ClassError("slow")
            phone = secrets.token_urlsafe(16)
            self._seats[phone] = half_for(self._seats.values())
            try:
                code = read_learner(learner)
            except ClassError:
                code = new_learner()
            self.book.seat(self.code, phone, self._seats[phone], code)
            return phone

    def learner(self, phone: str) -> str:
        """The code of who holds a phone."""
        return self.book.learner(self.code, phone)

    def name_learner(self, phone: str, said: object) -> str:
        """Take a code that was typed in place of the random one; returns it as it is kept.

        Raises:
            ClassError: it is none, or it comes too fast.
        """
        if not self.moves.take(phone):
            raise ClassError("slow")
        code = read_learner(said)
        self.book.name_learner(self.code, phone, code)
        return code

    def seated(self, phone: object) -> str:
        """The name of a phone that has a seat.

        Raises:
            ClassError: it has none.
        """
        if not isinstance(phone, str) or phone not in self._seats:
            raise ClassError("seat")
        return phone

    def now(self, phone: str) -> bytes:
        """What a phone shows, as JSON; the right answer is in it only when it has been shown on stage."""
        with self.lock:
            half = self._seats[phone] if self.split else ""
            if half not in self._told:
                self._told[half] = json.dumps(self._shown(half), ensure_ascii=False, separators=(",", ":")).encode()
            if self.question is None:
                return self._told[half]
            mine = self.book.answer_of(self.code, self.question.name, phone)
            return self._told[half][:-1] + b',"mine":' + json.dumps(mine).encode() + b"}"

    def _shown(self, half: str) -> dict[str, Any]:
        """What all phones of a half show, "" for those of a hall that is one: all but their own answers."""
        found: dict[str, Any] = {"version": self.version, "asking": self.is_asking}
        if half:
            found |= {"half": half, "picture": self._pictures[HALF_LETTERS.index(half)]}
        elif self._led:
            is_free = not self.is_asking and self.right is None
            found["scene"] = self._led | {"opens": self._led["opens"] and is_free}
        if (question := self.question) is None:
            return found
        return found | {
            "question": question.name,
            "kind": question.kind,
            "ask": question.ask,
            "options": question.options,
            "right": None if self.is_asking else self.right,
        }

    def answer(self, phone: str, question: object, said: object) -> str:
        """Count a phone's answer once, in place of its last one; returns it as it was kept.

        Raises:
            ClassError: another question is on, or none, or it is no answer, or it comes too fast.
        """
        with self.lock:
            if not self.moves.take(phone):
                raise ClassError("slow")
            if self.question is None or not self.is_asking or question != self.question.name:
                raise ClassError("over")
            kept = self.question.read(said)
            self.book.answer(self.code, self.question.name, phone, kept)
            return kept

    def say(self, phone: str, said: object) -> None:
        """Put a sentence into the lecturer's queue.

        Raises:
            ClassError: it is none, the queue is full, or it comes too fast.
        """
        with self.lock:
            sentence = read_sentence(said)
            if not self.says.take(phone):
                raise ClassError("slow")
            if len(self.book.sentences(self.code)) >= MOST_QUEUE:
                raise ClassError("queue")
            self.book.add_sentence(self.code, sentence)

    # What is told at once.

    @property
    def version(self) -> str:
        """Another one whenever a phone would show something else."""
        return f"{self._epoch}.{self._count}"

    def listen(self, bell: Callable[[], None]) -> Callable[[], None]:
        """Have a function called, in any thread, at every change; what is returned ends that.

        Functions that are equal are called once for all who listen by them.
        """
        with self.lock:
            self._bells[bell] += 1

        def stop() -> None:
            with self.lock:
                self._bells -= Counter([bell])  # who has none left is gone

        return stop

    def _keep(self) -> None:
        """Write down what must outlive the server, and ring."""
        self.book.keep(
            code=self.code,
            open=str(int(self.is_open)),
            question=self.question.packed() if self.question else "",
            asking=str(int(self.is_asking)),
            split=self.split,
            pictures=json.dumps(self._pictures, ensure_ascii=False),
            led=json.dumps(self._led, ensure_ascii=False),
        )
        self._count += 1
        self._told = {}
        for bell in list(self._bells):
            bell()


@cache
def _opened(said: str) -> Room:
    folder = Path(said or tempfile.mkdtemp(prefix="headlight-class-"))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Room(folder)


def the_room() -> Room | None:
    """The class of this server, whose folder ``--class [DIR]`` names; None where it was started without one."""
    said = argument_of(CLASS_OPTION, sys.argv[1:])
    return None if said is None else _opened(said)


class Buckets:
    """One bucket a name (token bucket; Turner 1986): ``burst`` at once, then ``rate`` a second.

    Args:
        rate: tokens a second.
        burst: tokens in a full bucket.
        most: names that are remembered; who was away longest is forgotten first, with a full bucket.
    """

    def __init__(self, rate: float, burst: float, most: int = 1000) -> None:
        self.rate, self.burst, self.most = rate, burst, most
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str, now: float | None = None) -> bool:
        """Whether there was a token, which is then gone."""
        now = monotonic() if now is None else now
        left, then = self._left.pop(name, (self.burst, now))
        left = min(self.burst, left + (now - then) * self.rate)
        is_allowed = left >= 1
        self._left[name] = (left - is_allowed, now)
        if len(self._left) > self.most:
            self._left.popitem(last=False)
        return is_allowed
