"""Who computes an answer: this process, or a helper while a crowd is there.

Threads of one process are no help: they take turns at Python's global lock, at every small operation of PyTorch.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from model.errors import HeadlightError
from viz.core.changes import follow_files

if TYPE_CHECKING:
    from viz.core.session import Subject

_ROOT = Path(__file__).resolve().parents[__name__.count(".")]  # where the first package of our name lies
# Streamlit need not warn at each look for a visitor that there is none.
_SERVE = f"import logging; logging.disable(logging.WARNING); from {__name__} import serve; serve()"
Arguments = ParamSpec("Arguments")
Found = TypeVar("Found")
ENOUGH = 3  # who compute at once are a crowd
MOST_HELPERS = 4  # the server that draws the pages keeps no more of them busy
IDLE = 60.0  # seconds
MOST_HOMES = 1024  # sentences of which it is known who has their answers


class NoAnswerError(Exception):
    """The helper is gone, or cannot answer this."""


class Helper:
    """A process with models and answers of its own; a program by itself, which never sees the server's script.

    Attributes:
        waiting: number of questions that wait for it, the one that it works at among them.
        is_gone: it has no more answers.
    """

    def __init__(self) -> None:
        path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-c", _SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
        )
        self._turn, self._count, self.waiting, self.is_gone = Lock(), Lock(), 0, False

    def ask(self, module: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a module's function gives for these arguments.

        Raises:
            HeadlightError: that function does.
            NoAnswerError: there is no answer to be had from this helper.
        """
        self._add(1)
        try:
            with self._turn:
                sort, *answer = self._answer((module, name, args, kwargs))
        finally:
            self._add(-1)
        if sort == "failed":
            raise NoAnswerError
        if sort == "found":
            return answer[0]
        kind, said, facts = answer
        error = kind.__new__(kind, *said)
        vars(error).update(facts)
        raise error

    def leave(self) -> None:
        """End the process; whoever waits for it gets no answer."""
        self.is_gone = True
        self._process.kill()
        self._process.wait()

    def _answer(self, question: tuple[Any, ...]) -> tuple[Any, ...]:
        assert self._process.stdin
        assert self._process.stdout
        try:
            self._process.stdin.write(pickle.dumps(question))
            self._process.stdin.flush()
            found: tuple[Any, ...] = pickle.load(self._process.stdout)  # noqa: S301 - by our own code, over a pipe
        except (OSError, EOFError, pickle.PickleError) as error:
            self.leave()
            raise NoAnswerError from error
        return found

    def _add(self, number: int) -> None:
        with self._count:
            self.waiting += number


class Crowd:
    """Helpers, from when several compute at once until nobody has for a while.

    Attributes:
        is_helper: this process is one, and computes all by itself.
        helpers: those that are ready.
        idle: seconds; when no two computed at once for so long, the crowd is gone.
    """

    def __init__(self, idle: float = IDLE) -> None:
        self.idle = idle
        self.is_helper, self.helpers = False, list[Helper]()
        self._lock, self._here = threading.Lock(), threading.local()
        self._busy, self._is_there, self._last = 0, False, 0.0
        self._homes: OrderedDict[tuple[str, str], Helper] = OrderedDict()  # by checkpoint and sentence

    def compute(self, function: Callable[..., Found], *args: Any, **kwargs: Any) -> Found:
        """A function's value for a subject and what follows it; what it asks for on its way is not asked elsewhere."""
        if self.is_helper or getattr(self._here, "computes", False):
            return function(*args, **kwargs)
        question = (function.__module__, function.__qualname__, args, kwargs)
        with self._counted(question):
            helper = self._home(args[0])
            if helper is not None:
                try:
                    found: Found = helper.ask(*question)
                    return found
                except NoAnswerError:
                    pass  # then it is computed here
            self._here.computes = True
            try:
                return function(*args, **kwargs)
            finally:
                self._here.computes = False

    @contextmanager
    def _counted(self, question: tuple[Any, ...]) -> Iterator[None]:
        """One more computes while the ``with`` lasts; the first crowd calls for helpers."""
        with self._lock:
            self._busy += 1
            if self._busy > 1:
                self._last = time.monotonic()
            comes = self._busy >= ENOUGH and not self._is_there
            self._is_there = self._is_there or comes
        if comes:
            threading.Thread(target=self._attend, args=(question,), daemon=True).start()
        try:
            yield
        finally:
            with self._lock:
                self._busy -= 1

    def _home(self, subject: Subject) -> Helper | None:
        """The helper that has a sentence's answers, or is to have them: the one that has least to do."""
        with self._lock:
            there = [helper for helper in self.helpers if not helper.is_gone]
            if not there:
                return None
            key = (subject.checkpoint, subject.text)
            home = self._homes.pop(key, None)
            if home not in there:
                home = min(there, key=lambda helper: helper.waiting)
            self._homes[key] = home
            if len(self._homes) > MOST_HOMES:
                self._homes.popitem(last=False)
            return home

    def _attend(self, question: tuple[Any, ...]) -> None:
        """Start helpers, each ready once it has answered a question, and end them when the crowd is gone."""
        new = list[Helper]()
        with suppress(OSError):  # the system may have no room for all
            new.extend(Helper() for _ in range(helpers_wanted()))
        for helper in new:
            with suppress(NoAnswerError, HeadlightError):
                helper.ask(*question)
            self.helpers.append(helper)
        while time.monotonic() - self._last < self.idle:
            time.sleep(self.idle / 10)
        self.helpers.clear()
        for helper in new:
            helper.leave()
        with self._lock:
            self._homes.clear()
            self._is_there = False


CROWD = Crowd()


def shared_out(function: Callable[Arguments, Found]) -> Callable[Arguments, Found]:
    """A decorator: what a function answers about a ``Subject``, its first argument, a helper may compute.

    It must say the same in every process, and stand at the top of its module. A helper has models of our own alone:
    somebody's folder may be many times their size.
    """

    @wraps(function)
    def computed(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Found:
        about: Any = args[0]
        if about.model.kind != "own":
            return function(*args, **kwargs)
        return CROWD.compute(function, *args, **kwargs)

    return computed


def helpers_wanted() -> int:
    """How many helpers a crowd gets: one a core; none where there is a single one, or a GPU computes."""
    from model.translator import has_gpu

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return 0 if cores < 2 or has_gpu() else min(cores, MOST_HELPERS)


def serve() -> None:
    """Answer what comes by standard input, on what was standard output, until the server closes it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, and so this
    CROWD.is_helper = True
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed must not come between answers
    while True:
        try:
            question = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the server that started this process
        except EOFError:
            return
        answers.write(answer_to(*question))
        answers.flush()


def answer_to(module: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bytes:
    """What a module's function gives, pickled: ("found", its value), or ("raised", …) where it says what is wrong.

    ("failed",) for anything else that it raises, or a value that cannot be sent.
    """
    try:
        follow_files()
        return pickle.dumps(("found", getattr(import_module(module), name)(*args, **kwargs)))
    except HeadlightError as error:
        return pickle.dumps(("raised", type(error), error.args, vars(error)))  # not all take their args to be made
    except Exception:  # the server meets it again, with its traceback, when it computes the answer itself
        return pickle.dumps(("failed",))
