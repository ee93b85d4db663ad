"""The page where a visitor trains a model: it starts, shows, stops, and takes one visitor at a time."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.live.recorded import TASKS, recorded
from model.live.training import LOOK_EVERY, PLACE, Training
from tests.pages import choose, go_to, plain_charts, prepared, shipped, words
from viz.core.text import text

pytestmark = shipped


@pytest.fixture(autouse=True)
def _place() -> Iterator[None]:
    """Whatever a test left running is ended."""
    yield
    if (running := PLACE._running) is not None:
        running.stop()
        if running.thread.ident:
            running.thread.join(10)


def pressed(at: AppTest, key: str) -> AppTest:
    at.button(key=key).click().run()
    assert not at.exception
    return at


def waited(at: AppTest, step: int) -> Training:
    """The visitor's training, once it has done so many steps."""
    own: Training = at.session_state["_training"]
    until = time.monotonic() + 60
    while own.look().step < step and not own.is_over and time.monotonic() < until:
        time.sleep(0.05)
    assert own.seen.step >= step
    return own


def test_nothing_runs_before_somebody_starts_it() -> None:
    at = choose(prepared("train_here", task="reverse"))
    past = recorded("reverse")
    curve, *maps = plain_charts(at)
    np.testing.assert_allclose(curve["curves"][0]["values"], [loss for _, loss in past.seen.losses], rtol=1e-5)
    assert past.seen.weights is not None
    assert len(maps) == len(past.seen.weights)
    assert not past.thread.is_alive()
    assert text("en", "train.recorded", step=past.seen.step, right=f"{past.seen.right:.0%}") in words(at)
    assert "_training" not in at.session_state
    assert at.button(key="train_stop").disabled
    assert text("zh", "train.lead") in words(choose(at, lang="zh"))


def test_a_recorded_run_has_learnt_its_task() -> None:
    for task in TASKS:
        own = recorded(task)
        assert (own.seen.end, own.seen.written) == ("learnt", own.answer)
        assert [step for step, _ in own.seen.losses] == list(range(LOOK_EVERY, own.seen.step + 1, LOOK_EVERY))
        assert own.seen.weights is not None
        np.testing.assert_allclose(own.seen.weights.sum(-1), 1, atol=0.01)
    with pytest.raises(KeyError):
        recorded("sort")  # type: ignore[arg-type]


def test_a_training_is_watched_and_stopped() -> None:
    at = pressed(choose(prepared("train_here", task="reverse")), "train_start")
    own = waited(at, 50)
    assert own.task == "reverse"
    assert at.button(key="train_start").disabled
    curve, *maps = plain_charts(pressed(at, "train_stop"))
    assert own.seen.end == "stopped"
    np.testing.assert_allclose(curve["curves"][0]["values"], [loss for _, loss in own.seen.losses], rtol=1e-5)
    assert own.seen.weights is not None
    for chart, weights in zip(maps, own.seen.weights, strict=True):
        np.testing.assert_allclose(chart["cells"]["values"], weights, rtol=1e-5)
    assert text("en", "train.end.stopped", step=own.seen.step, right=f"{own.seen.right:.0%}") in words(at)
    assert not at.button(key="train_start").disabled


def test_a_second_visitor_gets_one_sentence_and_the_first_goes_on() -> None:
    first = PLACE.begin(Training("copy"))
    at = pressed(choose(prepared("train_here")), "train_start")
    assert words(at).count(text("en", "error.TrainerBusyError")) == 1
    assert "_training" not in at.session_state
    assert not first.is_over
    first.stop()
    first.thread.join(10)
    waited(pressed(at, "train_start"), 25)


def test_who_goes_to_another_view_frees_the_place_at_once() -> None:
    at = pressed(choose(prepared("train_here")), "train_start")
    own = waited(choose(at, pinyin=True), 25)
    assert not own.is_over  # the page was drawn anew, and nobody left
    choose(go_to(at, "about"))
    own.thread.join(5)  # a third of what a visitor may look away
    assert own.seen.end == "left"
    other = pressed(choose(prepared("train_here")), "train_start")
    assert not waited(other, 1).is_over
