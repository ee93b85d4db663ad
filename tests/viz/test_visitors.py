"""The bench of many visitors: what it counts, and that its sentences differ."""

from __future__ import annotations

import math

import pytest

from bench.visitors import Answer, Run, judged, sentences

RIGHT = {"one": "一", "two": "二", "three": "三", "four": "四"}


def answer(sentence: str, translation: str | None, seconds: float = 1.0, ended: bool = True) -> Answer:
    return Answer(sentence, 0.0, False, Run(translation, seconds, ended))


def test_waits_count_right_answers_alone_and_every_other_one_is_named() -> None:
    answers = [answer("one", "一", 0.5), answer("two", "二", 1.5), answer("three", "三", 2.5)]
    found = judged(answers, RIGHT)
    assert (found["median"], found["p95"], found["longest"]) == (1.5, 2.5, 2.5)
    assert (found["lost"], found["mixed_up"], found["wrong"]) == (0, 0, 0)
    cut = answer("four", "四", 60, ended=False)
    bad = [answer("one", "二", 9), answer("two", "两", 9), answer("three", None, 9), cut]
    found = judged([*answers, *bad], RIGHT)
    assert (found["mixed_up"], found["wrong"], found["lost"]) == (1, 1, 2)
    assert (found["sentences"], found["longest"]) == (7, 2.5)
    assert math.isnan(judged(bad, RIGHT)["median"])


def test_the_95th_percentile_is_one_of_the_waits() -> None:
    answers = [answer("one", "一", seconds) for seconds in range(1, 101)]
    assert judged(answers, RIGHT)["p95"] == 95


def test_every_sentence_is_another_one_and_the_same_at_each_run() -> None:
    found = sentences(2000)
    assert len(set(found)) == 2000
    assert found == sentences(2000) != sentences(2000, seed=1)
    with pytest.raises(ValueError, match="larger than"):
        sentences(10**9)
