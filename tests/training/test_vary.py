from __future__ import annotations

import random
import re
from itertools import pairwise

import pytest

from model.pairs import Row
from model.training.prepare import filled_templates, joined, known_names, varied, with_other_names, with_other_numbers


def rng() -> random.Random:
    return random.Random(3)


def test_numbers_change_alike_on_both_sides() -> None:
    row: Row = ("I was born in 1988 in room 12.", "我1988年出生在１２号房间。", "tatoeba")
    new = with_other_numbers(row, rng())
    assert new is not None
    year, room = new[0].removeprefix("I was born in ").removesuffix(".").split(" in room ")
    assert new[1] == f"我{year}年出生在{room}号房间。"
    assert (year, room) != ("1988", "12")
    assert 1800 <= int(year) < 2050


@pytest.mark.parametrize(
    ("number", "shape"),
    [("9:48", r"(?:1[0-2]|[1-9]):[0-5]\d"), ("39.4", r"\d\d\.\d"), ("1,280", r"\d{1,3}(?:,\d{3}){1,2}")],
)
def test_times_decimals_and_thousands_keep_their_shape_on_both_sides(number: str, shape: str) -> None:
    draws = rng()
    for _ in range(50):
        new = with_other_numbers((f"It was {number}, he said.", f"他说是{number}。", "tatoeba"), draws)
        assert new is not None
        value = new[0].removeprefix("It was ").removesuffix(", he said.")
        assert re.fullmatch(shape, value)
        assert new[1] == f"他说是{value}。"
    assert with_other_numbers((f"It was v{number}b.", f"是v{number}b。", "tatoeba"), draws) is None


def test_pairs_whose_numbers_differ_or_belong_to_words_are_left_alone() -> None:
    for english, chinese in (
        ("The train left at 7.", "火车七点出发。"),
        ("He came 3rd of 5.", "他5人中得了3名。"),
        ("It costs 2,500 yen.", "要2500日元。"),
        ("Good morning.", "早上好。"),
    ):
        assert with_other_numbers((english, chinese, "tatoeba"), rng()) is None


def test_names_change_to_others_of_their_class_on_both_sides() -> None:
    names = known_names()
    new = with_other_names(("Tom met Mary in Paris.", "汤姆在巴黎遇见了玛丽。", "tatoeba"), rng())
    assert new is not None
    he, she, place = (dict((a, b) for a, b in names[kind]) for kind in ("male", "female", "place"))
    words = new[0].removesuffix(".").split()
    assert new[1] == f"{he[words[0]]}在{place[words[4]]}遇见了{she[words[2]]}。"
    assert with_other_names(("Tom is here.", "他在这里。", "tatoeba"), rng()) is None


def test_templates_are_filled_on_both_sides() -> None:
    pairs = list(filled_templates(rng(), 2))
    assert len(pairs) > 100
    assert not any("{" in english + chinese or "}" in english + chinese for english, chinese in pairs)


def test_everyday_sentences_are_joined_in_order() -> None:
    rows: list[Row] = [("A cat.", "一只猫。", "tatoeba"), ("A dog!", "一只狗！", "jec"), ("No end", "没有", "tatoeba")]
    texts = joined(rows, 20, rng())
    assert len(texts) == 20
    meaning = {"A cat.": "一只猫。", "A dog!": "一只狗！"}
    for english, chinese, source in texts:
        parts = english.replace(". ", ".|").replace("! ", "!|").split("|")
        assert len(parts) in (2, 3)
        assert chinese == "".join(meaning[part] for part in parts)
        assert source == "joined"
    assert joined([("No end", "没有", "tatoeba")], 5, rng()) == []


def test_what_is_added_says_where_it_comes_from() -> None:
    rows: list[Row] = [
        ("Tom is 30 years old.", "汤姆30岁了。", "tatoeba"),
        ("Tom has 30 files.", "汤姆30", "python_docs"),
    ]
    sources = [row[2] for row in varied(rows, 1, copies=1, n_joined=2)]
    assert sources.count("numbers") == 2
    assert sources.count("names") == 1, "only everyday pairs"
    assert sources.count("joined") == 2
    assert varied(rows, 1) == varied(rows, 1)
    assert varied(rows, 1) != varied(rows, 2)


def test_numbers_keep_their_length_and_often_repeat_a_digit() -> None:
    row: Row = ("We sold 48213 books.", "我们卖了48213本书。", "tatoeba")
    draws = rng()
    found = [with_other_numbers(row, draws) for _ in range(400)]
    numbers = [new[0].split()[2] for new in found if new]
    assert {len(number) for number in numbers} == {5}
    assert not any(number.startswith("0") for number in numbers)
    repeating = sum(any(a == b for a, b in pairwise(number)) for number in numbers)
    assert repeating / len(numbers) > 0.5  # digits drawn evenly repeat in 34 % of such numbers
    assert {len(set(number)) for number in numbers} >= {2, 5}
