from __future__ import annotations

from html import unescape

import numpy as np
import pytest

from tests.pages import HOSTILE, PLAIN, choose, markup, opened, plain_charts, prepared, reverse, shipped, words
from viz.core.text import LANGUAGES, text
from viz.core.views import VIEWS
from viz.views.lessons import page, two_sides
from viz.views.lessons.honest import even_share
from viz.views.lessons.page import LESSONS

pytestmark = shipped
PARTS = ("", ".idea", ".where", ".see", ".ask.1", ".answer.1", ".ask.2", ".answer.2")


@pytest.mark.parametrize("number", LESSONS)
def test_a_lesson_has_its_texts_in_both_languages_and_views_that_exist(number: str) -> None:
    for language in LANGUAGES:
        assert [part for part in PARTS if f"lesson.{number}{part}" not in LANGUAGES[language]] == []
    assert set(LESSONS[number].views) <= set(VIEWS)


@pytest.mark.parametrize("number", LESSONS)
def test_a_lesson_draws_in_both_languages(number: str) -> None:
    at = opened("lessons", lesson=number)
    assert plain_charts(at)
    assert at.latex
    assert len(at.expander) == 2
    chinese = choose(at, lang="zh")
    assert text("zh", f"lesson.{number}") in chinese.subheader[0].value
    assert "{" not in words(chinese)


@pytest.mark.parametrize("number", LESSONS)
def test_a_lesson_begins_with_its_picture(number: str) -> None:
    def order(block) -> list[str]:
        children = getattr(block, "children", None)
        if children is not None:
            return [said for place in sorted(children) for said in order(children[place])]
        body = getattr(getattr(block, "proto", None), "body", "")
        if isinstance(body, str) and text("en", f"lesson.{number}.idea")[:30] in unescape(body):
            return ["idea"]
        return ["picture"] if getattr(block.proto, "component_name", "") == PLAIN else []

    found = order(opened("lessons", lesson=number).main)
    assert found.count("idea") == 1
    assert found.index("picture") < found.index("idea")


def test_an_even_share_counts_only_the_keys_that_a_row_may_see() -> None:
    causal = np.tril(np.full((2, 3, 4, 4), 0.1))
    assert even_share(causal, 0) == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)
    assert even_share(causal, 3) == pytest.approx(1 / 16)
    assert even_share(np.full((1, 1, 5, 3), 0.2), 2) == pytest.approx(1 / 3)


def test_the_first_lesson_opens_and_another_is_one_click_away() -> None:
    at = opened("lessons")
    assert at.subheader[0].value == "1 · A soft dictionary"
    at.button(key="lesson_next").click().run()
    assert at.subheader[0].value == "2 · Self-attention in six steps"
    at.button(key="lesson_back").click().run()
    assert at.subheader[0].value == "1 · A soft dictionary"


def test_an_unknown_lesson_is_the_first() -> None:
    assert opened("lessons", lesson="99").subheader[0].value == "1 · A soft dictionary"


def test_the_query_moves_weights_and_result() -> None:
    at = opened("lessons", l1_fruit=0.0, l1_furniture=0.0)
    assert "result = 0.33·10 + 0.33·5 + 0.33·2 = 5.67" in words(at)
    assert "result = 0.00·10 + 0.00·5 + 1.00·2 = 2.00" in words(choose(at, l1_furniture=4.0))


def test_triu_below_the_diagonal_leaves_rows_that_are_no_numbers() -> None:
    at = opened("lessons", lesson="4")
    assert ": 0 of " in words(at)
    at = choose(at, l4_k=-1)
    assert "2 rows see nothing" in words(at)
    assert ": 2 of " in words(at)
    assert ": 1 of " in words(choose(at, l4_k=0))


def test_words_in_their_own_order_do_not_move() -> None:
    assert "moves by up to 0.00 of its length; without them by 0," in words(opened("lessons", lesson="5", l5_order=0))


def test_what_is_typed_in_a_lesson_is_data() -> None:
    at = opened("lessons", lesson="8", l8_lines=f"{HOSTILE}\nHello.", l8_word="<b>x</b>")
    assert "<b>" not in markup(at)
    assert "<img" not in markup(at)
    assert plain_charts(at)


def test_lines_that_cannot_be_read_are_told_in_one_sentence() -> None:
    at = opened("lessons", lesson="8", l8_lines=" \n ")
    assert words(at).count("batch is empty") == 1
    assert plain_charts(at) == []
    assert plain_charts(choose(at, l8_lines="Hello."))


def test_a_sentence_that_cannot_be_translated_leaves_no_picture_and_says_so() -> None:
    at = choose(prepared("lessons", text="我爱你，你爱我。", lesson="9"))
    assert "type one that can be translated" in words(at)
    assert text("en", "lesson.9.idea") in words(at)
    assert at.latex
    assert plain_charts(at) == []
    assert plain_charts(choose(at, lesson="7"))  # which needs none


@reverse
@pytest.mark.parametrize("number", LESSONS)
def test_the_toy_model_has_the_lessons_too(number: str) -> None:
    at = choose(prepared("lessons", checkpoint="reverse", text="abcd", lesson=number))
    assert plain_charts(at)


def test_a_very_short_sentence_has_every_lesson() -> None:
    for number in ("4", "5", "9"):
        assert plain_charts(opened("lessons", lesson=number, text="Hello."))


@pytest.mark.parametrize(
    ("lesson", "named"),
    [("1", "Cross L2 H1"), ("2", "L2 H1"), ("3", "Cross L2"), ("4", "L2 H1"), ("12", "Cross"), ("7", "L2 H1")],
)
def test_the_button_of_the_head_names_what_the_lesson_uses(lesson: str, named: str) -> None:
    at = opened("lessons", lesson=lesson, kind="cross", layer=2, head=1)
    assert named in [each.proto.popover.label for each in at.get("popover")]
    assert ("<style>.st-key-hl_head" in markup(at)) == (lesson == "7")  # which uses none: the button is not seen


@pytest.mark.parametrize(("number", "order"), [("9", ["further", "gone on"]), ("14", ["further"])])
def test_what_a_lesson_decodes_is_told_when_all_else_of_it_stands(monkeypatch, number: str, order: list[str]) -> None:
    happened = list[str]()
    monkeypatch.setattr(page, "further", lambda _: happened.append("further"))
    monkeypatch.setattr(two_sides, "gone_on", lambda *_: happened.append("gone on") or "then this")
    at = opened("lessons", lesson=number)
    assert happened == order
    assert (text("en", "lesson.9.goes_on", own="then this") in words(at)) == ("gone on" in order)
