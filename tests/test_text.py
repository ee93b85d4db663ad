from __future__ import annotations

import string

import pytest

from viz.text import LANGUAGES, en, text, zh


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_both_languages_say_the_same_things() -> None:
    assert set(en.STRINGS) == set(zh.STRINGS)
    assert set(LANGUAGES) == {"en", "zh"}


@pytest.mark.parametrize("key", sorted(en.STRINGS))
def test_both_languages_fill_in_the_same_values(key: str) -> None:
    if key.startswith("error."):  # each language says as much as it needs
        assert fields(en.STRINGS[key]) | fields(zh.STRINGS[key]) <= {"message", "characters", "tokens"}
    else:
        assert fields(en.STRINGS[key]) == fields(zh.STRINGS[key])


def test_values_are_filled_in() -> None:
    key = next(key for key, value in en.STRINGS.items() if fields(value))
    names = fields(en.STRINGS[key])
    assert "✓7" in text("en", key, **dict.fromkeys(names, "✓7"))
