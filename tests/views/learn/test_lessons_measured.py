"""Lessons' questions: one right answer, no key before it is shown, the same table as a class's."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from bench.items import ANSWERS, right_options
from model.analysis.lessons.gains import FORMS, read_answers
from model.analysis.lessons.item_table import TEMPLATES
from model.analysis.lessons.items import form_items, made_item, names_of, told_apart
from model.analysis.lessons.traced_sentence import Made, TracedSentence
from model.trace import TracedTranslation
from model.translator import Translator
from tests.pages import SENTENCE, choose, opened, shipped, words
from viz.core.answers.lessons import lesson_items
from viz.core.classroom import room as rooms
from viz.core.classroom.book import SHEET_COLUMNS, answers_csv
from viz.core.session import Subject
from viz.core.text import ENGLISH as STRINGS
from viz.core.text import LANGUAGES, text
from viz.core.views import LESSON_MODULES
from viz.views.lessons.predict import PREDICTED, way

pytestmark = shipped


def asked(at) -> list:
    return [each for each in at.radio if str(each.key).startswith("item_")]


def test_a_lesson_is_asked_answered_and_saved_as_the_report_reads_it(tmp_path: Path) -> None:
    at = opened("lessons", lesson="4", form="before", l4_size=6)
    assert len(asked(at)) == 3
    assert at.button(key="item_4_send").disabled
    before = every_word_sent(at)
    items = lesson_items(Subject(SENTENCE, "en-zh"), "4", "before", at.session_state["_items_learner"])
    for language in LANGUAGES:
        whys = [LANGUAGES[language][f"item.why.{why}"] for item in items for why in item.whys if why]
        assert not [why for why in whys if why in before], "no reason is sent before the answer"
    wrong = (items[0].key + 1) % 3
    places = (wrong, items[1].key, items[2].key)
    picks = {radio.key: place for radio, place in zip(asked(at), places, strict=True)}
    at = choose(at, **picks)
    at.button(key="item_4_send").click().run()
    said = words(at)
    assert said.count(STRINGS["lesson.form.right"]) == 2
    assert STRINGS[f"item.why.{items[0].whys[wrong]}"] in said
    given = at.session_state["_items_given"]
    assert [each.answer == each.key for each in given] == [False, True, True]
    (tmp_path / "a.csv").write_bytes(answers_csv(SHEET_COLUMNS, given, "zh"))
    found = read_answers(tmp_path / "a.csv")
    assert [(each.lesson, each.form, each.is_right) for each in found] == [("4", "before", n > 0) for n in range(3)]


def every_word_sent(at) -> str:
    """All that the browser gets: of a radio no more than its options."""
    return "\n".join(str(each.proto) for each in at.main) + words(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_has_its_texts(language: str, en_zh: Translator, translation: TracedTranslation) -> None:
    traced, rng = TracedSentence(en_zh, translation), random.Random(3)
    assert {name.partition(".")[0] for name in TEMPLATES} == set(LESSON_MODULES)
    for name in TEMPLATES:
        item = made_item(name, traced, rng)
        if item is not None:
            assert "{" not in text(language, f"item.{name}", **item.values)
            assert all(LANGUAGES[language][f"item.why.{why}"] for why in item.whys if why)
            assert len(set(item.options)) == len(item.options) >= 3


def test_forms_are_parallel_and_the_same_for_the_same_learner(en_zh: Translator, translation) -> None:
    forms = [
        form_items("4", form, "abcdef", [SENTENCE, SENTENCE], lambda _: TracedSentence(en_zh, translation))
        for form in FORMS
    ]
    again = form_items("4", "before", "abcdef", [SENTENCE, SENTENCE], lambda _: TracedSentence(en_zh, translation))
    assert forms[0] == again
    assert [[item.name for item in form] for form in forms] == [names_of("4")] * 3
    assert forms[0] != forms[1]


def test_what_cannot_be_told_apart_is_not_asked() -> None:
    assert told_apart(Made({}, 1.0, {"near": 1.03, "far": 2.0, "same": 2.0})) == []
    assert told_apart(Made({}, 1.0, {"near": 1.03, "far": 2.0, "off": 3.0})) == ["far", "off"]
    assert told_apart(Made({}, "a", {"x": "a", "y": "b", "z": "c"})) == ["y", "z"]


def test_a_slider_is_predicted_then_shown_then_free() -> None:
    at = opened("lessons", lesson="4", predict=True)
    slider = at.slider(key="l4_k")
    assert slider.disabled
    assert "Rows that see nothing: 0 now" in words(at)
    at.button(key="predict_rises").click().run()
    assert at.slider(key="l4_k").value == 0
    assert "As you said. Rows that see nothing: from 0 to 1." in words(at)
    at.button(key="predict_stays").click().run()
    assert "It rises. Rows that see nothing: from 1 to 2." in words(at)
    assert "Now move" in words(at)
    assert not at.slider(key="l4_k").disabled
    assert not [each for each in at.button if str(each.key).startswith("predict_")]


@pytest.mark.parametrize("number", PREDICTED)
def test_what_is_predicted_is_a_number_of_the_lesson(number: str) -> None:
    at = opened("lessons", lesson=number, predict=True)
    predicted = PREDICTED[number]
    [box] = [each for each in (*at.slider, *at.select_slider) if each.key == predicted.slider]
    assert box.disabled
    assert not at.exception
    assert STRINGS[f"lesson.predict.{number}"] in words(at)
    at.button(key="predict_rises").click().run()
    assert not at.exception
    assert "{" not in words(at)


def test_a_value_is_read_as_it_is_shown() -> None:
    assert [way("1.0", "2"), way("−1", "−2"), way("9·10⁻⁵", "1·10⁻⁴"), way("[1]", "[2]"), way("12%", "12%")] == [
        "rises",
        "falls",
        "rises",
        "stays",
        "stays",
    ]


def test_every_question_has_one_right_answer_by_another_computation(en_zh: Translator, translation) -> None:
    traced, rng = TracedSentence(en_zh, translation), random.Random(7)
    assert set(ANSWERS) == set(TEMPLATES)
    made = [made_item(name, traced, rng) for name in TEMPLATES for _ in range(3)]
    wrong = [(each, found) for each in made if each and (found := right_options(each, traced)) != [each.key]]
    assert wrong == []
    assert len([each for each in made if each]) > 100
    keys = Counter(each.key for each in made if each)
    assert max(keys.values()) < 0.6 * sum(keys.values()), "the right option has no place of its own"


def test_a_question_with_two_right_answers_or_another_key_is_seen(en_zh: Translator, translation) -> None:
    traced = TracedSentence(en_zh, translation)
    item = made_item("4.cells", traced, random.Random(1))
    assert item is not None
    twice = replace(item, options=(item.options[item.key],) * len(item.options))
    assert len(right_options(twice, traced)) == len(item.options)
    other = replace(item, whys=item.whys[1:] + item.whys[:1])
    assert right_options(other, traced) != [other.key]
    mixed = made_item("1.mix", traced, random.Random(1))
    assert mixed is not None
    lied = replace(mixed, values={**mixed.values, "wa": "0.999"})
    assert right_options(lied, traced) == [], "what the question shows must be the model's"


def test_a_class_is_asked_on_its_phones_and_told_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["app.py", f"--class={tmp_path}"])
    rooms._opened.cache_clear()
    room = rooms.the_room()
    assert room is not None
    room.open()
    at = opened("lessons", lesson="4", form="before")
    assert asked(at) == [], "the lecturer's window does not answer"
    at.button(key="class_item_0_ask").click().run()
    assert room.question is not None
    assert (room.question.item, room.question.form, room.is_asking) == ("4.cells", "before", True)
    phone = room.join()
    told = json.loads(room.now(phone))
    assert told["right"] is None
    room.answer(phone, told["question"], 1)
    at = choose(at)
    whys = [key for key in STRINGS if key.startswith("item.why.")]
    assert not [why for why in whys if STRINGS[why] in words(at)]
    at.button(key="class_item_0_show").click().run()
    shown = json.loads(room.now(phone))
    assert shown["right"] == int(room.given()[0].key)
    assert len([why for why in whys if STRINGS[why] in words(at)]) >= 2
    rooms._opened.cache_clear()
