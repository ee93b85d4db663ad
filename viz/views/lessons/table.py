"""The lessons, by their numbers: the ``LESSON`` of each module that the table in ``viz.core.codes.lessons`` names."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from viz.core.codes.lessons import LESSON_MODULES
from viz.views.lessons.lesson import Lesson

LESSONS: Mapping[str, Lesson] = {
    number: import_module(f"viz.views.lessons.{module}").LESSON for number, module in LESSON_MODULES.items()
}
