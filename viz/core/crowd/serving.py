"""A helper's own side: it answers questions one after the other, for as long as its server is there."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from importlib import import_module
from typing import Any

from model.errors import HeadlightError
from viz.core.changes import follow_files
from viz.core.crowd.sharing import CROWD


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
