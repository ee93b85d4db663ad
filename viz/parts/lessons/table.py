"""The table of lessons: a new one is an entry here, its module, and its texts."""

from __future__ import annotations

from collections.abc import Mapping

from viz.parts.lessons import (
    data,
    dictionary,
    families,
    gradients,
    honest,
    learning,
    masks,
    norms,
    order,
    several,
    six_steps,
    two_sides,
)
from viz.parts.lessons.lesson import Lesson

LESSONS: Mapping[str, Lesson] = {
    "1": dictionary.LESSON,
    "2": six_steps.LESSON,
    "3": several.LESSON,
    "4": masks.LESSON,
    "5": order.LESSON,
    "6": norms.LESSON,
    "7": learning.LESSON,
    "8": data.LESSON,
    "9": two_sides.LESSON,
    "10": gradients.LESSON,
    "11": families.LESSON,
    "12": honest.LESSON,
}
