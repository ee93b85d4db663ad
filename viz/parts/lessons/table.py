"""The lessons, by their numbers: the ``LESSON`` of each module that the table in ``viz.state.codes.lessons`` names."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from viz.parts.lessons.lesson import Lesson
from viz.state.codes.lessons import LESSON_MODULES

LESSONS: Mapping[str, Lesson] = {
    number: import_module(f"viz.parts.lessons.{module}").LESSON for number, module in LESSON_MODULES.items()
}
