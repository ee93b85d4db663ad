"""What links call choices: codes that mean the same in every language."""

from __future__ import annotations

import string

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import SENTENCE, choose, prepared, shipped, viewed
from viz.core.choice import tidied
from viz.core.codes.choices import CHOICES, read_token
from viz.core.text import LANGUAGES, read_catalogue, text
from viz.core.views import VIEWS
from viz.widgets.picker import shown_key

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


EVERY = [(name, option) for name, choice in CHOICES.items() for option in choice.options]
WHERE = {  # a page that draws the choice, and what must be chosen there first
    "decoded": ("beam", {}),
    "picture": ("translate", {}),
    "scope": ("heads", {}),
    "by": ("heads", {}),
    "atlas_x": ("atlas", {}),
    "atlas_y": ("atlas", {}),
    "atlas_by": ("atlas", {}),
    "atlas_show": ("atlas", {}),
    "align_view": ("alignment", {}),
    "align_from": ("alignment", {}),
    "align_method": ("alignment", {}),
    "align_links": ("alignment", {}),
    "donor": ("patching", {}),
    "flow_by": ("flow", {}),
    "trust": ("trust", {}),
    "way": ("trust", {}),
    "target": ("trust", {}),
    "task": ("train_here", {}),
    "course": ("training", {}),
    "inside_view": ("inside", {}),
    "inside": ("inside", {}),
    "mask": ("lessons", {"lesson": "4"}),
    "show": ("lessons", {"lesson": "5"}),
    "lesson": ("lessons", {}),
    "form": ("lessons", {}),
    "lines": ("one_head", {}),
}


def linked(page: str, **link: str) -> AppTest:
    at = prepared(page, text=SENTENCE)
    for name, value in link.items():
        at.query_params[name] = value
    return choose(at)


LISTS = (
    "method",
    "align_method",
    "by",
    "atlas_x",
    "atlas_y",
    "inside_view",
    "inside",
    "lines",
)  # unfold; the others are buttons


def shown(at: AppTest, name: str):
    """The picker that the visitor sees."""
    many = at.radio if name == "lesson" else at.selectbox if name in LISTS else at.segmented_control
    return many(key=shown_key(name))


@pytest.mark.parametrize(("name", "option"), EVERY)
def test_an_option_is_read_from_its_code_and_not_from_the_words_of_a_language(name: str, option: str) -> None:
    choice = CHOICES[name]
    assert choice.read(option) == option
    for language in LANGUAGES:
        words = text(language, f"{choice.key}.{option}")
        assert words in choice.options or choice.read(words) is None


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("said", ["", "nonsense", "<b>", None, "Cross ", "CROSS"])
def test_anything_else_means_no_option(name: str, said: object) -> None:
    assert CHOICES[name].read(said) is None


def test_what_is_no_option_leaves_the_link_and_the_rest_stays() -> None:
    link = {
        "kind": "交叉注意力",
        "method": "norms",
        "lang": "中文",
        "of": "x",
        "show": "<b>",
        "layer": "2",
        "shift": "read",
    }
    assert tidied(link) == dict.fromkeys(("kind", "lang", "of", "show"))
    assert tidied({"kind": "cross", "method": "norms", "of": "3", "text": "<b>"}) == {}


@pytest.mark.parametrize(
    ("said", "token"), [("0", 0), ("7", 7), ("7 车", None), ("-1", None), ("", None), ("9" * 9, None)]
)
def test_the_output_token_of_a_link(said: str, token: int | None) -> None:
    assert read_token(said) == token


def test_every_choice_has_a_page_here() -> None:
    assert set(WHERE) | {"lang", "kind", "method", "shift", "combine"} == set(CHOICES)
    assert {page for page, _ in WHERE.values()} <= set(VIEWS)


@shipped
@pytest.mark.parametrize("name", CHOICES)
def test_what_is_picked_goes_into_the_link_as_its_code_and_the_default_does_not(name: str) -> None:
    page, before = WHERE.get(name, ("compare", {}))
    at = linked(page, **before)
    first = at.session_state[name]
    other = next(option for option in CHOICES[name].options if option != first)
    choose(shown(at, name).set_value(other).run())
    assert at.query_params[name] == other
    assert shown(at, name).value == other
    choose(shown(at, name).set_value(first).run())
    assert name not in at.query_params


@shipped
def test_nonsense_in_a_link_is_the_default_and_leaves_it() -> None:
    at = linked("compare", kind="<b>", method="x", of="99", shift="", combine="all")
    state = at.session_state
    assert (state["kind"], state["method"], state["combine"]) == ("cross", "weights", "head")
    assert at.selectbox(key="pick_of").value == "0"
    choose(at)
    assert not {"kind", "method", "of", "shift", "combine"} & set(at.query_params)


@shipped
def test_a_link_opens_in_every_language() -> None:
    at = linked("one_head", lang="zh", kind="decoder_self", method="norms", layer="1", head="2")
    seen = viewed(at)
    assert seen.link == {"h": "d1.2", "d": "norms"}
    assert (seen.header["language"], seen.sorts["norms"]["title"]) == ("zh", text("zh", "method.norms"))
