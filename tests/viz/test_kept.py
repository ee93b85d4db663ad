from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from viz.core.kept import kept


def test_an_answer_is_computed_once_and_the_oldest_goes_first() -> None:
    asked = []

    @kept(2)
    def twice(number: int) -> list[int]:
        asked.append(number)
        return [number, number]

    assert twice(1) is twice(1)
    assert [twice(2), twice(1), twice(3), twice(1)] == [[2, 2], [1, 1], [3, 3], [1, 1]]
    assert asked == [1, 2, 3], "1 was used last when 3 came, so 2 went"
    assert twice(2) == [2, 2]
    twice.clear()
    twice(2)
    assert asked == [1, 2, 3, 2, 2]


def test_an_exception_is_no_answer() -> None:
    tries = []

    @kept(4)
    def third_time_lucky(word: str) -> str:
        tries.append(word)
        if len(tries) < 3:
            raise ValueError(word)
        return word

    for _ in range(2):
        with pytest.raises(ValueError, match="now"):
            third_time_lucky("now")
    assert third_time_lucky("now") == "now"
    assert len(tries) == 3


def test_visitors_who_ask_the_same_wait_for_one_computation_and_others_do_not() -> None:
    asked, free = [], threading.Event()

    @kept(4)
    def slow(name: str) -> str:
        asked.append(name)
        if name == "slow":
            assert free.wait(20)
        return name

    with ThreadPoolExecutor(4) as pool:
        same = [pool.submit(slow, "slow") for _ in range(3)]
        deadline = time.monotonic() + 20
        while "slow" not in asked and time.monotonic() < deadline:
            time.sleep(0.01)
        assert pool.submit(slow, "quick").result(20) == "quick"
        assert not any(each.done() for each in same)
        free.set()
        assert [each.result(20) for each in same] == ["slow"] * 3
    assert sorted(asked) == ["quick", "slow"]
