"""What a lesson is, and what lessons share: sliders, text, and the sizes of their pictures."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from model.source import Need, Reads
from viz.core.choice import say
from viz.core.session import Session

FILLED_LAST = "later"  # of a picture's values: a place on the page, and what fills it when all else stands
LOCKED = "_predict_locked"  # in the visitor's session: the slider that waits for a prediction
_BETWEEN = re.compile(r",? \\qquad ")
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
Values = dict[str, Any]
"""What a picture found, by the names that the lesson's texts call it."""


@dataclass(frozen=True)
class Lesson:
    """One lesson; its texts are ``lesson.<number>`` (the title), and with that before them ``.idea``, ``.where``
    (the letters of the formula), ``.see``, ``.ask.1``, ``.answer.1``, ``.ask.2`` and ``.answer.2``.
    """

    formula: str  # LaTeX; a wide space (``qquad``) stands between equations
    # draws the picture with which the lesson begins, with its sliders, and gives values that fill the lesson's texts;
    # it is called inside a fragment, so that a slider redraws this lesson alone
    picture: Callable[[Session], Values]
    views: tuple[str, ...]  # names of the views that show more
    pickers: tuple[str, ...] = ()  # those of the frame that it uses
    more: Callable[[Session], Values] = lambda now: {}  # as ``picture``, what stands below the idea
    sentence: bool = True  # it is about the visitor's sentence: where that cannot be translated, there is no picture
    own: bool = False  # it takes a Transformer of our own apart; of others it cannot be shown
    needs: frozenset[Need] = frozenset()  # what it asks of the model
    reads: tuple[Reads, ...] = ("text",)  # which forms of model it is about

    @property
    def equations(self) -> str:
        """The formula with its equations one below the other."""
        lines = r" \\[.3em] ".join(_BETWEEN.split(self.formula))
        return rf"\begin{{gathered}} {lines} \end{{gathered}}"


def is_locked(key: str) -> bool:
    """Whether a slider waits until its next setting was predicted."""
    return bool(st.session_state.get(LOCKED) == key)


def dial(number: int, name: str, low: float, high: float, start: float, step: float = 0.1) -> float:
    """A slider over real numbers, labelled ``lesson.<number>.<name>`` and called ``l<number>_<name>`` in the link."""
    key, label = f"l{number}_{name}", say(f"lesson.{number}.{name}")
    low, high, start, step = map(float, (low, high, start, step))
    return float(st.slider(label, low, high, start, step, key=key, bind="query-params", disabled=is_locked(key)))


def count(number: int, name: str, low: int, high: int, start: int) -> int:
    """As ``dial``, over whole numbers; where there is no choice, nothing is drawn."""
    if low >= high:
        return low
    key, label = f"l{number}_{name}", say(f"lesson.{number}.{name}")
    if key in st.session_state:
        st.session_state[key] = min(max(int(st.session_state[key]), low), high)
    begun, held = min(max(start, low), high), is_locked(key)
    return int(st.slider(label, low, high, begun, key=key, bind="query-params", disabled=held))


def tiny(value: float, digits: int = 0) -> str:
    """A number near 0 by its power of ten; exactly 0 as such.

    >>> tiny(2.3e-7), tiny(0.000699, 2), tiny(0.0)
    ('2·10⁻⁷', '6.99·10⁻⁴', '0')
    """
    mantissa, _, exponent = f"{value:.{digits}e}".partition("e")
    return f"{mantissa}·10{str(int(exponent)).translate(_RAISED)}" if value else "0"
