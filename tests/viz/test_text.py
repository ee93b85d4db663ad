from __future__ import annotations

import string

import pytest

from viz.text import LANGUAGES, en, text, zh
from viz.text.joined import joined

ERROR_VALUES = {"message", "characters", "tokens", "parts"}


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_both_languages_say_the_same_things() -> None:
    assert set(en.STRINGS) == set(zh.STRINGS)
    assert set(LANGUAGES) == {"en", "zh"}


def filled_otherwise(english: dict[str, str], chinese: dict[str, str]) -> list[str]:
    """Keys whose texts have other places for values in one language than in the other, or than an error has."""
    errors = {key for key in english if key.startswith("error.")}  # each language says as much as it needs
    wrong = [key for key in errors if not fields(english[key]) | fields(chinese[key]) <= ERROR_VALUES]
    return wrong + [key for key in english.keys() - errors if fields(english[key]) != fields(chinese[key])]


def test_both_languages_fill_in_the_same_values() -> None:
    assert filled_otherwise(en.STRINGS, zh.STRINGS) == []


def test_a_value_that_one_language_forgets_is_seen() -> None:
    assert filled_otherwise({"a": "{x} {y}"}, {"a": "{x}"}) == ["a"]
    assert filled_otherwise({"error.A": "{message}"}, {"error.A": "!"}) == []
    assert filled_otherwise({"error.A": "{secret}"}, {"error.A": "!"}) == ["error.A"]


def test_values_are_filled_in() -> None:
    key = next(key for key, value in en.STRINGS.items() if fields(value))
    names = fields(en.STRINGS[key])
    assert "✓7" in text("en", key, **dict.fromkeys(names, "✓7"))


def test_a_text_stands_in_the_same_wing_of_both_languages() -> None:
    assert [set(wing.STRINGS) for wing in en.WINGS] == [set(wing.STRINGS) for wing in zh.WINGS]


def test_a_text_that_stands_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="'a'"):
        joined([{"a": "1"}, {"b": "2"}, {"a": "1"}])
