"""The table of lessons: a new one is an entry here, its module, and its texts."""

from __future__ import annotations

from collections.abc import Mapping

from viz.parts.lessons import dictionary, families, gradients
from viz.parts.lessons.lesson import Lesson

LESSONS: Mapping[str, Lesson] = {
    "1": dictionary.LESSON,
    "10": gradients.LESSON,
    "11": families.LESSON,
}
