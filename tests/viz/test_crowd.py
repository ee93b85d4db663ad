"""Helpers: they answer as this process would, come with a crowd and leave after it, and nothing is lost with one."""

from __future__ import annotations

import math
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, is_dataclass
from typing import ClassVar

import numpy as np
import pytest
import torch

from bench.visitors import Answer, Run, judged, sentences
from model.errors import EmptySentenceError, SentenceTooLongError
from model.source import Anatomy, LacksAbilityError, require_of
from model.trace import HeadRef
from viz.core.answers import heads, maps, translations, what_if
from viz.core.crowd import sharing
from viz.core.crowd.sharing import ENOUGH, Crowd, Helper, NoAnswerError, answer_to, shared_out
from viz.core.kept import kept
from viz.core.session import Subject
from viz.views.alignment import page as alignment


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


CAT, HEAD = Subject("The cat drinks two cups of milk.", "en-zh"), HeadRef("cross", 2, 5)
ASKED: list[tuple[Callable[..., object], tuple[object, ...]]] = [
    (translations._translation, ()),
    (translations.written, ()),
    (maps.attribution_maps, ("votes", None)),
    (maps.attribution_maps, ("gradient", 1)),
    (what_if.left_out, ()),
    (what_if.token_left_out, (2, (1, 3))),
    (what_if.read_back, ()),
    (what_if.better_both_ways, ()),
    (what_if.word_traces, ()),
    (what_if.words_honesty, ((0.5, 0.1, 0.3, 0.2, 0.0, 0.4, 0.1, 0.0), None)),
    (what_if.steps, (5,)),
    (what_if.continued, ()),
    (what_if.mix, (((HEAD, 0.0),),)),
    (maps.lens, (3,)),
    (maps.promoted, (3, HEAD, 0, 4)),
    (maps.head_steps, (HEAD,)),
    (maps.reasons, (HEAD,)),
    (maps.flow_shares, ("norms",)),
    (heads.ablation, ()),
    (heads.profiles, ()),
    (alignment.word_maps, ("votes",)),
]


@pytest.fixture(scope="module")
def helper() -> Iterator[Helper]:
    found = Helper()
    yield found
    found.leave()


def ask(helper: Helper, function: Callable[..., object], *args: object) -> object:
    return helper.ask(function.__module__, function.__qualname__, args, {})


def same(one: object, other: object) -> None:
    """Fail where two values differ by more than rounding."""
    assert type(one) is type(other)
    if isinstance(one, np.ndarray | torch.Tensor | float):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    elif is_dataclass(one):
        for field in fields(one):
            same(getattr(one, field.name), getattr(other, field.name))
    elif isinstance(one, dict):
        assert list(one) == list(other)
        same(list(one.values()), list(other.values()))
    elif isinstance(one, list | tuple):
        assert len(one) == len(other)
        for left, right in zip(one, other, strict=True):
            same(left, right)
    else:
        assert one == other


@pytest.mark.parametrize(("function", "args"), ASKED, ids=lambda each: getattr(each, "__name__", ""))
def test_a_helper_answers_as_this_process_does(helper, function, args) -> None:
    same(ask(helper, function, CAT, *args), function(CAT, *args))


def test_all_that_may_be_asked_of_a_helper_is_asked_above() -> None:
    wings = (alignment, heads, maps, translations, what_if)
    every = [each for wing in wings for each in vars(wing).values()]
    inner = shared_out(len).__code__
    shared = {each for each in every if getattr(getattr(each, "__wrapped__", None), "__code__", None) is inner}
    assert shared == {function for function, _ in ASKED}


def test_what_a_helper_sent_cannot_be_changed_either(helper) -> None:
    with pytest.raises(ValueError, match="read-only"):
        ask(helper, translations._translation, CAT).trace.cross[0, 0, 0, 0] = 1


def test_what_a_visitor_can_mend_comes_through_as_it_is(helper) -> None:
    with pytest.raises(EmptySentenceError):
        ask(helper, translations._translation, Subject(" ", "en-zh"))
    with pytest.raises(SentenceTooLongError) as long:
        ask(helper, translations._translation, Subject("1 " * 450, "en-zh"))
    assert long.value.tokens
    bare = Anatomy({}, frozenset(), why={"votes": "post_norm"})
    with pytest.raises(LacksAbilityError, match="somebody's does not offer 'votes'") as lacks:
        ask(helper, require_of, bare, "somebody's", "votes")
    assert (lacks.value.ability, lacks.value.why) == ("votes", "post_norm")


def test_anything_else_is_no_answer_and_the_helper_stays(helper) -> None:
    with pytest.raises(NoAnswerError):
        helper.ask("viz.core.answers.maps", "method_maps", (CAT, "no such sort", None), {})
    with pytest.raises(NoAnswerError):
        helper.ask("viz.core.answers.translations", "translator", ("en-zh",), {"no": "such"})
    assert ask(helper, translations.written, CAT) == translations.written(CAT)


def test_a_helper_that_was_killed_has_no_answer() -> None:
    gone = Helper()
    gone._process.kill()
    with pytest.raises(NoAnswerError):
        ask(gone, translations.written, CAT)
    assert gone.is_gone


class Friend:
    """Stands for a helper; notes what it is asked."""

    made: ClassVar[list[Friend]] = []
    dies = False
    ready = threading.Event()  # to answer for the first time

    def __init__(self) -> None:
        self.asked: list[object] = []
        self.waiting, self.is_gone = 0, False
        Friend.made.append(self)

    def ask(self, module, name, args, kwargs) -> object:
        assert Friend.ready.wait(20)
        self.asked.append(args)
        if Friend.dies:
            self.is_gone = True
            raise NoAnswerError
        return "a friend's"

    def leave(self) -> None:
        self.is_gone = True


@pytest.fixture
def crowd(monkeypatch) -> Iterator[Crowd]:
    Friend.made, Friend.dies = [], False
    monkeypatch.setattr(sharing, "Helper", Friend)
    monkeypatch.setattr(sharing, "helpers_wanted", lambda: 2)
    found = Crowd(idle=0.5)
    yield found
    found.idle = 0


def own(_subject: Subject) -> str:
    return "one's own"


def gather(crowd: Crowd, number: int) -> list[str]:
    """So many who compute at once."""
    together = threading.Barrier(number)
    Friend.ready.clear()

    def slow(_subject: Subject) -> str:
        together.wait(20)
        return "one's own"

    with ThreadPoolExecutor(number) as pool:
        found = [each.result(20) for each in [pool.submit(crowd.compute, slow, CAT) for _ in range(number)]]
    Friend.ready.set()
    return found


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_nobody_is_called_for_one_visitor_or_two(crowd) -> None:
    assert crowd.compute(lambda subject: crowd.compute(own, subject), CAT) == "one's own"
    assert gather(crowd, ENOUGH - 1) == ["one's own"] * (ENOUGH - 1)
    assert Friend.made == []


def test_a_crowd_gets_helpers_and_when_it_is_gone_they_leave(crowd) -> None:
    assert gather(crowd, ENOUGH) == ["one's own"] * ENOUGH, "nobody waits until they are there"
    until(lambda: len(crowd.helpers) == 2)
    assert crowd.compute(own, CAT) == "a friend's"
    until(lambda: all(each.is_gone for each in Friend.made))
    assert crowd.compute(own, CAT) == "one's own"
    gather(crowd, ENOUGH)
    until(lambda: len(Friend.made) == 4)


def test_a_sentence_stays_with_its_helper_and_the_others_go_where_least_is_to_do(crowd) -> None:
    gather(crowd, ENOUGH)
    until(lambda: len(crowd.helpers) == 2)
    first, second = crowd.helpers
    first.waiting = 1
    for _ in range(3):
        crowd.compute(own, CAT)
    assert [len(each.asked) for each in (first, second)] == [1, 4], "one question each made them ready"
    second.waiting = 2
    crowd.compute(own, CAT)
    crowd.compute(own, Subject("Another.", "en-zh"))
    assert [len(each.asked) for each in (first, second)] == [2, 5]


def test_what_a_dying_helper_was_asked_is_computed_here(crowd) -> None:
    gather(crowd, ENOUGH)
    until(lambda: len(crowd.helpers) == 2)
    Friend.dies = True
    assert [crowd.compute(own, CAT) for _ in range(4)] == ["one's own"] * 4
    assert [len(each.asked) for each in Friend.made] == [2, 2], "each is asked once more, and not again"


def test_an_answer_that_holds_what_cannot_be_sent_is_said_to_have_failed() -> None:
    assert pickle.loads(answer_to("threading", "Lock", (), {})) == ("failed",)
    assert pickle.loads(answer_to("operator", "add", (2, 3), {})) == ("found", 5)


def test_a_helper_that_is_killed_while_it_answers_costs_nobody_an_answer() -> None:
    """The visitor's own server answers him, and the next visitor; what the helper began is nowhere kept."""
    others = Crowd()
    helper = Helper()
    others.helpers.append(helper)
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(others.compute, translations._translation.__wrapped__.__wrapped__, CAT) for _ in range(2)]
        until(lambda: helper.waiting == 2)
        helper._process.kill()
        texts = {each.result(120).text for each in asked}
    assert len(texts) == 1
    assert helper.is_gone
    assert others.compute(translations._translation.__wrapped__.__wrapped__, CAT).text in texts
    assert helper._process.poll() is not None
