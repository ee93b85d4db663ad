"""How an error that a visitor can cause is said, and what a browser's messages say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import streamlit as st

from model.errors import MAX_CHARACTERS, MAX_PARTS, MAX_SRC_TOKENS, HeadlightError
from model.source import LacksAbilityError, Reads
from viz.charts.markup import alert
from viz.core.choice import say
from viz.core.models import current


class OtherFormError(HeadlightError):
    """A view is about another form of model."""

    def __init__(self, reads: Reads, about: tuple[Reads, ...]) -> None:
        super().__init__(f"this view is about models that read {', '.join(about)}, not {reads}")
        self.reads, self.about = reads, about


class ViewEnded(Exception):  # noqa: N818 - nothing went wrong
    """A view has said why there is no more of it."""


def end_view() -> NoReturn:
    """Leave out what follows in a view; other than after ``st.stop``, what the frame draws below is still drawn."""
    raise ViewEnded


def sentence_of(error: HeadlightError) -> str:
    """One plain sentence, in the visitor's language, that says what is wrong."""
    if isinstance(error, LacksAbilityError):
        why = say(f"why.{error.why}") if error.why else ""
        said = {"checkpoint": current().name, "ability": say(f"ability.{error.ability}"), "why": why}
        return say("view.lacks.why" if why else "view.lacks", **said)
    if isinstance(error, OtherFormError):
        about = say("view.or").join(say(f"reads.{each}") for each in error.about)
        return say("view.other", checkpoint=current().name, what=say(f"reads.{error.reads}"), about=about)
    return say(
        f"error.{type(error).__name__}",
        message=str(error),
        characters=f"{MAX_CHARACTERS:,}",
        parts=MAX_PARTS,
        tokens=getattr(error, "tokens", None) or MAX_SRC_TOKENS,
    )


def show_error(error: HeadlightError) -> None:
    """One plain sentence that says what is wrong; whatever stands in it is shown literally."""
    st.html(alert(sentence_of(error)))


@contextmanager
def told() -> Iterator[None]:
    """What a visitor asks inside and cannot have is said in one sentence, and what follows inside is left out."""
    try:
        yield
    except ViewEnded:
        return
    except HeadlightError as error:
        show_error(error)


def message(key: str, name: str) -> object:
    """What the component with this key last sent under a name; None where it has sent nothing."""
    return st.session_state.get(key, {}).get(name)


def part(value: object, name: str) -> object:
    """An entry of a message; None where the message is no such thing."""
    return value.get(name) if isinstance(value, dict) else None


def serial(key: str, name: str) -> int:
    """The number of the newest change that a component has sent; 0 before its first."""
    number = part(message(key, name), "serial")
    return number if type(number) is int else 0


def reported_step(value: object, steps: int) -> int | None:
    """The step that a browser's message or a link names, from 1; None where there is no such step."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:9])
    return value if type(value) is int and 1 <= value <= steps else None
