"""How answers are kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from threading import Lock
from typing import Generic, ParamSpec, Protocol, TypeVar

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


_FORGET: list[Callable[[], None]] = []


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
