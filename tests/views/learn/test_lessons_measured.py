"""Lessons' questions: one right answer, no key before it is shown, the same table as a class's."""

from __future__ import annotations

import csv
import io
import random

import pytest

from model.analysis.lessons.drawn import Drawn
from model.analysis.lessons.item_table import TEMPLATES
from model.analysis.lessons.items import made_item
from tests.pages import SENTENCE, choose, opened, shipped, words
from viz.core.codes.lessons import LESSON_MODULES
from viz.core.text import LANGUAGES

pytestmark = shipped


def test_the_first_lesson_is_asked_answered_and_saved() -> None:
    at = opened("lessons", lesson="4", form="before")
    radios = [each for each in at.radio if str(each.key).startswith("item_4_before")]
    assert len(radios) == 3
    assert at.button(key="item_4_send").disabled
    print(words(at)[-1500:])
    for each in radios:
        each.set_value(0)
        at = choose(at)
    at.button(key="item_4_send").click().run()
    assert not at.exception
    print(words(at)[-1500:])
    print(at.get("download_button"))
