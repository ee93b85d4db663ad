"""One helper as its server sees it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from threading import Lock
from typing import Any

_ROOT = Path(__file__).resolve().parents[3]
# Streamlit need not warn at each look for a visitor that there is none.
_SERVE = "import logging; logging.disable(logging.WARNING); from viz.core.crowd.serving import serve; serve()"


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
