"""How answers are kept, and the models that give them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache, wraps
from threading import Lock
from typing import Generic, ParamSpec, Protocol, TypeVar
from weakref import WeakValueDictionary

from model.errors import HeadlightError
from model.folders import languages_in, resolve, split_step
from model.history import snapshot
from model.source import ModelHandle
from viz.core.pictures import picture

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Remembering(Protocol[P, R_co]):
    """A function that remembers what it answered."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """The answer, computed once."""

    def clear(self) -> None:
        """Forget every answer."""


class _Answer(Generic[R]):
    """One answer; whoever asks for it while it is being computed waits for it."""

    def __init__(self) -> None:
        self.lock, self.values = Lock(), list[R]()

    def get(self, compute: Callable[[], R]) -> R:
        with self.lock:
            if not self.values:
                self.values.append(compute())
            return self.values[0]


_ALIVE: WeakValueDictionary[tuple[str, str], ModelHandle] = WeakValueDictionary()  # models that somebody holds
_FORGET: list[Callable[[], None]] = [_ALIVE.clear]


def forget_answers() -> None:
    """Forget every answer of every function: to be called when what they were made of has changed."""
    for forget in _FORGET:
        forget()


def kept(most: int) -> Callable[[Callable[P, R]], Remembering[P, R]]:
    """A decorator: the last ``most`` answers are kept and shared by all visitors, so nobody may change one.

    An exception is no answer. What is asked must be hashable: Streamlit's own cache takes more, and
    reads it through at every call, which was an eighth of a head's redraw.
    """

    def decorate(function: Callable[P, R]) -> Remembering[P, R]:
        answer = lru_cache(most)(lambda *args, **kwargs: _Answer[R]())

        @wraps(function)
        def asked(*args: P.args, **kwargs: P.kwargs) -> R:
            found: _Answer[R] = answer(*args, **kwargs)  # type: ignore[arg-type]
            return found.get(lambda: function(*args, **kwargs))

        asked.clear = answer.cache_clear  # type: ignore[attr-defined]
        _FORGET.append(answer.cache_clear)
        return asked  # type: ignore[return-value]

    return decorate


def has_pytorch() -> bool:
    """Whether this process has loaded PyTorch; before, the first visit of all does without where it can."""
    return "torch" in sys.modules


def shared(base: str, weights: str) -> ModelHandle:
    """The model of a listed name; what is wrong with a folder is found out once, until its files change.

    Raises:
        HeadlightError: something is wrong with it.
    """
    found = _opened(base, weights)
    if isinstance(found, HeadlightError):
        raise found
    return found


@kept(4)
def _opened(base: str, weights: str) -> ModelHandle | HeadlightError:
    """Of a model that an answer still holds no second one is made, whose weights would be there twice."""
    from model.translator import open_model

    if (alive := _ALIVE.get((base, weights))) is not None:
        return alive
    try:
        return _ALIVE.setdefault((base, weights), open_model(base, picture))
    except HeadlightError as error:
        return error


@kept(4)
def at_step(name: str, weights: str) -> ModelHandle:
    """A checkpoint of our own as it was at the step of training that its name says; its tokenizers are there once.

    ``weights`` are the finished one's. Raises as ``shared``.
    """
    from model.translator import Translator

    base, step = split_step(name)
    finished = shared(base, weights)
    assert isinstance(finished, Translator), "folders and files of maps keep no steps"
    return finished.at_snapshot(snapshot(resolve(base), int(step or 0)))


@kept(16)
def in_languages(name: str, weights: str) -> ModelHandle:
    """A listed model asked for the languages of its name; its weights are there once; raises as ``shared``."""
    return shared(name.rpartition("@")[0], weights).in_languages(*languages_in(name), name)
