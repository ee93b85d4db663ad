"""The table of lessons, in their order: a new one is an entry here, its module in ``viz/views/lessons``, and its texts.

It stands here, and not beside the modules, so that links can name a lesson before any module is imported.
"""

from __future__ import annotations

from collections.abc import Mapping

LESSON_MODULES: Mapping[str, str] = {
    "1": "dictionary",
    "2": "six_steps",
    "3": "several",
    "4": "masks",
    "5": "order",
    "6": "norms",
    "7": "learning",
    "8": "data",
    "9": "two_sides",
    "10": "gradients",
    "11": "families",
    "12": "honest",
    "13": "vectors",
    "14": "feed_forward",
    "15": "recurrent",
}
