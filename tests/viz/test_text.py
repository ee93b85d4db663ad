from __future__ import annotations

import string

import pytest

from viz.core.text import LANGUAGES, read_catalogue, text

ENGLISH, CHINESE = LANGUAGES["en"], LANGUAGES["zh"]

ERROR_VALUES = {"message", "characters", "tokens", "parts"}


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_both_languages_say_the_same_things() -> None:
    assert set(ENGLISH) == set(CHINESE)
    assert set(LANGUAGES) == {"en", "zh"}


def filled_otherwise(english: dict[str, str], chinese: dict[str, str]) -> list[str]:
    """Keys whose texts have other places for values in one language than in the other, or than an error has."""
    errors = {key for key in english if key.startswith("error.")}  # each language says as much as it needs
    wrong = [key for key in errors if not fields(english[key]) | fields(chinese[key]) <= ERROR_VALUES]
    return wrong + [key for key in english.keys() - errors if fields(english[key]) != fields(chinese[key])]


def test_both_languages_fill_in_the_same_values() -> None:
    assert filled_otherwise(ENGLISH, CHINESE) == []


def test_a_value_that_one_language_forgets_is_seen() -> None:
    assert filled_otherwise({"a": "{x} {y}"}, {"a": "{x}"}) == ["a"]
    assert filled_otherwise({"error.A": "{message}"}, {"error.A": "!"}) == []
    assert filled_otherwise({"error.A": "{secret}"}, {"error.A": "!"}) == ["error.A"]


def test_values_are_filled_in() -> None:
    key = next(key for key, value in ENGLISH.items() if fields(value))
    names = fields(ENGLISH[key])
    assert "✓7" in text("en", key, **dict.fromkeys(names, "✓7"))


def test_a_text_that_stands_twice_is_refused(tmp_path) -> None:
    catalogue = tmp_path / "xx.json"
    catalogue.write_text('{"a": "1", "b": "2"}', encoding="utf-8")
    assert read_catalogue(catalogue) == {"a": "1", "b": "2"}
    catalogue.write_text('{"a": "1", "b": "2", "a": "3"}', encoding="utf-8")
    with pytest.raises(ValueError, match="'a'"):
        read_catalogue(catalogue)
