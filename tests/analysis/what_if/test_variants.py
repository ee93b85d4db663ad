from __future__ import annotations

import pytest

from model.analysis.what_if.variants import variants


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
