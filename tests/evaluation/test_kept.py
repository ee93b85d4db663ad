from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from model.errors import CorpusError
from model.evaluation.kept import KeptSentence, kept, missing_names, missing_numbers, read_kept
from model.training.prepare import LISTS, known_names


@pytest.mark.parametrize(
    ("wanted", "translation", "missing"),
    [
        ("555-0192", "中午之前拨555-0192。", []),
        ("555-0192", "中午之前拨555-019。", ["555-0192"]),
        ("1150", "涨到１，１５０美元。", []),
        ("1150", "涨到11500美元。", ["1150"]),
        ("4.50", "要4.5美元。", ["4.50"]),
        ("4", "要4.50美元。", ["4"]),
        ("3月 12", "我们3月12日种的。", []),
        ("3月 12", "我们三月十二日种的。", []),
        ("3月 12", "我们12月12日种的。", ["3月"]),
        ("7", "七点开始。", []),
        ("7", "十七点开始。", ["7"]),
        ("2 6", "从两点到六点。", []),
        ("17", "十七分。", ["17"]),
        ("4:30|4点30|4点半", "四点半关门。", []),
        ("4:30|4点30|4点半", "4：30关门。", []),
        ("4:30|4点30|4点半", "4点关门。", ["4:30"]),
        ("6120 6210", "6210还是6120？", []),
        ("12 12", "12月。", ["12"]),
    ],
)
def test_numbers_must_stand_exactly(wanted: str, translation: str, missing: list[str]) -> None:
    assert missing_numbers([item.split("|") for item in wanted.split()], translation) == missing


def test_a_name_is_right_in_any_of_its_forms() -> None:
    assert missing_names([("玛丽", "瑪麗"), ("巴黎",)], "瑪麗在Paris。") == ["巴黎"]


def test_what_is_kept_is_counted_by_number_name_and_sentence() -> None:
    sentences = [
        KeptSentence("Tom is 21 or 22.", (("21",), ("22",)), (("汤姆",),)),
        KeptSentence("I am 33.", (("33",),), ()),
        KeptSentence("Mary left.", (), (("玛丽",),)),
        KeptSentence(f"From 44 to 55 it rained {'and rained ' * 6}on.", (("44",), ("55",)), ()),
    ]
    result = kept(sentences, ["汤姆21岁。", "我33岁。", "她走了。", "从44到5。"])
    assert (result.numbers, result.sentences, result.names) == ((3, 5), (1, 3), (1, 2))
    assert result.long_numbers == (1, 2)
    assert [(text, missing) for _, text, missing in result.failures] == [
        ("汤姆21岁。", ("22",)),
        ("她走了。", ("玛丽",)),
        ("从44到5。", ("55",)),
    ]


def test_the_sentences_that_ship_are_no_filled_templates_and_say_what_they_hold() -> None:
    sentences = read_kept()
    assert len({sentence.english for sentence in sentences}) == 200
    known = {english for kind in known_names().values() for english, _ in kind}
    names = re.compile(rf"\b(?:{'|'.join(known)})\b|\$?\d[\d,.:-]*\d|\d")
    filled = re.compile(r"\{\w+\}")
    frames = {names.sub("…", sentence.english) for sentence in sentences}
    lines = (LISTS / "templates.tsv").read_text(encoding="utf-8").splitlines()
    assert not frames & {filled.sub("…", line.split("\t")[0]) for line in lines}
    long = [each for each in sentences if len(each.english.split()) >= 15 and len(each.numbers) >= 2]
    assert len(long) >= 70, "long sentences with two numbers are the hardest"
    for sentence in sentences:
        digits = Counter(re.sub(r"\D", "", forms[0]) for forms in sentence.numbers)
        there = Counter(re.sub(r"\D", "", run) for run in re.findall(r"\d[\d,.:-]*", sentence.english))
        assert there <= digits, sentence.english
        for forms in sentence.names:
            assert all(re.search(r"[\u4e00-\u9fff]", form) for form in forms)


def test_bad_lines_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.tsv"
    path.write_text("Hello.\t\t\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="line 1: expected English"):
        read_kept(path)
