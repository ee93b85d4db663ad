"""English words for figures under test."""

from __future__ import annotations

from typing import TypeVar

from viz.charts.markup import Words
from viz.core.text import text

W = TypeVar("W", bound=Words)


def english(words: type[W]) -> W:
    return words.said_by(lambda key: text("en", key))
