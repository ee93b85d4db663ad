"""The model that a visitor trains in the page: his own, and one at a time for the whole server."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import streamlit as st

from model.errors import HeadlightError

if TYPE_CHECKING:
    from model.live.task import LiveTask
    from model.live.training import Training

_TRAINING, _REFUSED = "_training", "_training_refused"  # in a visitor's session


def training() -> Training | None:
    """What this visitor trains or has trained; None before he has."""
    return cast("Training | None", st.session_state.get(_TRAINING))


def recorded(task: LiveTask) -> Training:
    """A run that was recorded, which stands there until the visitor has one of his own."""
    from model.live import recorded as records

    return records.recorded(task)


def begin(task: LiveTask) -> None:
    """Start one; to be called in a widget's callback. Where the place is taken, ``refused`` says so."""
    from model.live.training import PLACE, Training

    try:
        st.session_state[_TRAINING] = PLACE.begin(Training(task))
    except HeadlightError as error:
        st.session_state[_REFUSED] = error


def refused() -> HeadlightError | None:
    """Why the last start was refused, once."""
    return cast("HeadlightError | None", st.session_state.pop(_REFUSED, None))


def leave() -> None:
    """Free the place for others, where this visitor's training goes on: he went to another view."""
    if (own := training()) is not None and not own.is_over:
        own.leave()


def stop() -> None:
    """End this visitor's training; to be called in a widget's callback."""
    if (own := training()) is not None:
        own.stop()
        own.thread.join(2.0)
