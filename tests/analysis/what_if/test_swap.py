from __future__ import annotations

import re

import numpy as np
import pytest

from model.analysis.what_if.swap import Change, Word, changes, source_words, swapped, variants
from model.own.source import neighbours
from model.trace import Label
from model.translator import Translator
from model.writing import WORD_START
from viz.charts.marked import bars, marked_text
from viz.core.theme import DARK, LIGHT


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def by_hand(translator: Translator, word: str) -> dict[str, float]:
    """Cosine of a word's embedding with that of every other word that is one piece."""
    tokenizer, found = translator.src_tokenizer, {}
    table = translator.model.encoder.embedding.tokens.weight.detach().double().numpy()
    own = table[tokenizer.encode(word)[0].id]
    for piece, token_id in tokenizer.subwords.get_vocab().items():
        other = piece.removeprefix(WORD_START)
        if piece.startswith(WORD_START) and tokenizer.casing.get(other.lower()) == other and other.isalpha():
            found[other] = cosine(own, table[token_id])
    return {other: value for other, value in found.items() if other.lower() != word.lower()}


@pytest.mark.parametrize("word", ["street", "red", "car"])
def test_the_nearest_words_come_first(translator: Translator, word: str) -> None:
    expected = sorted(by_hand(translator, word).items(), key=lambda pair: -pair[1])[:4]
    found = neighbours(translator.model, translator.src_tokenizer, word, 4)
    assert [each.word for each in found] == [other for other, _ in expected]
    assert [each.cosine for each in found] == pytest.approx([value for _, value in expected], abs=1e-5)


def test_a_word_is_not_near_itself_whatever_its_casing(translator: Translator) -> None:
    found = {each.word for each in neighbours(translator.model, translator.src_tokenizer, "STREET", 1000)}
    assert found == set(by_hand(translator, "street"))
    assert "street" not in found


def test_beginnings_of_words_are_no_words(translator: Translator) -> None:
    pieces = {piece.removeprefix(WORD_START) for piece in translator.src_tokenizer.subwords.get_vocab()}
    found = {each.word for each in neighbours(translator.model, translator.src_tokenizer, "red", 1000)}
    assert found < pieces
    assert all(len(translator.src_tokenizer.encode(word)) == 1 for word in found)
    assert not any(word in found for word in ("stre", "anim", "s"))


@pytest.mark.parametrize("word", ["Ljubljana", "xyzzy", "", "<script>"])
def test_what_is_spelt_in_pieces_has_no_near_words(translator: Translator, word: str) -> None:
    assert neighbours(translator.model, translator.src_tokenizer, word) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I love you.", ["You love me.", "I hate you.", "I do not love you."]),
        ("He saw them.", ["They saw him."]),
        ("She can't swim.", ["She can swim."]),
        ("She can swim.", ["She can not swim."]),
        ("The animal was too tired.", ["The animal was too wide.", "The animal was not too tired."]),
        ("Thinking machines", ["Sleeping machines"]),
        ("", []),
        ("<b>", []),
    ],
)
def test_sentences_that_differ_in_one_thing(text: str, expected: list[str]) -> None:
    assert variants(text) == expected


def test_letters_change_places_at_the_ends() -> None:
    assert variants("abc", letters=True) == ["cba"]
    assert variants("aba", letters=True) == variants("a", letters=True) == []


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
