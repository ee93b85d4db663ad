from __future__ import annotations

import re

import pytest

from model.analysis.what_if.swap import Change, Word, changes, source_words, swapped
from model.trace import Label
from model.translator import Translator
from viz.charts.marked import bars, marked_text
from viz.core.theme import DARK, LIGHT


def test_words_are_whole_and_without_punctuation(translator: Translator) -> None:
    source = "“Tom didn't see Ljubljana,” he said."
    words = source_words(source, translator.translate(source).src)
    assert [word.text for word in words] == ["Tom", "did", "n't", "see", "Ljubljana", "he", "said"]
    assert all(source[word.start : word.end] == word.text for word in words)


def test_no_words_in_punctuation() -> None:
    assert source_words("?!", (Label("?", 0, 0, 1), Label("!", 1, 1, 2))) == []


@pytest.mark.parametrize(
    ("start", "end", "new", "expected"),
    [(0, 3, "a", "A red car."), (4, 7, " blue ", "The blue car."), (8, 11, "", "The red .")],
)
def test_the_word_is_exchanged_and_a_beginning_stays_capital(start: int, end: int, new: str, expected: str) -> None:
    source = "The red car."
    sentence, put = swapped(source, Word(source[start:end], start, end), new)
    assert sentence == expected
    assert sentence[put.start : put.end] == put.text


def test_only_a_capital_at_the_beginning_is_taken_over() -> None:
    assert swapped("I saw Tom.", Word("Tom", 6, 9), "cats")[0] == "I saw cats."
    assert swapped("i saw", Word("i", 0, 1), "we")[0] == "we saw"


def test_changes_are_where_the_tokens_differ() -> None:
    assert changes("我有红车。", "我有一辆蓝车。") == [Change(2, 3, 2, 5)]
    assert changes("我有", "我有") == []
    assert changes("", "我") == [Change(0, 0, 0, 1)]


def test_a_long_sentence_is_written_smaller() -> None:
    sizes = [re.findall(r"font-size: ([\d.]+)rem", marked_text(["猫"] * count, (), LIGHT))[0] for count in (40, 41)]
    assert float(sizes[1]) < float(sizes[0])


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_marked_text_marks_those_places_and_shows_text_literally(theme) -> None:
    html = marked_text(["New", "##er", "York", "<b>", "好"], {3}, theme)
    assert html.count("<mark") == 1
    assert "&lt;b&gt;</mark>" in html
    assert "Newer York" in html
    assert theme.accent in html


def test_bars_show_values_literally_and_never_overflow() -> None:
    html = bars(["<img src=x>", "two"], [4.0, 1.0], 2.0, {1}, LIGHT, "a & b")
    assert "<img" not in html
    assert "width: 100%" in html
    assert "width: 50%" in html
    assert html.count("dashed") == 1
    with pytest.raises(ValueError, match="2 words have 1 values"):
        bars(["a", "b"], [1.0], 1.0, (), LIGHT, "")
