"""The page where a visitor trains a model: it starts, shows, stops, and takes one visitor at a time."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.folders import CHECKPOINTS
from model.history import read_history
from model.live.recorded import TASKS, recorded
from model.live.training import LOOK_EVERY, PLACE, Training
from tests.pages import (
    array,
    charts,
    choose,
    go_to,
    markup,
    opened,
    plain_charts,
    prepared,
    reverse,
    sent,
    shipped,
    words,
)
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


@pytest.fixture(scope="module")
def history():
    found = read_history(CHECKPOINTS / "en-zh" / "history.npz")
    assert found is not None
    return found


def test_the_slider_shows_a_translation_and_a_map_of_then(history):
    example, point = 0, len(history.step) // 2
    source = history.examples[example]["source"]
    at = opened("training", text=source, kind="cross", layer=2, head=3, trained=int(history.step[point]), shift="read")
    assert history.translation(point, example) in words(at)
    assert history.translation(-1, example) in words(at)
    then, last = (each for each in charts(at)[0]["data"] if each["type"] == "heatmap")
    maps = history.maps(example, "cross")[:, 2, 3]
    np.testing.assert_allclose(array(then["z"]).ravel(), maps[point].ravel(), atol=1e-5)
    np.testing.assert_allclose(array(last["z"]).ravel(), maps[-1].ravel(), atol=1e-5)
    assert np.abs(maps[point] - maps[0]).max() > 0


@pytest.mark.parametrize(("shift", "place"), [("read", "read"), ("written", "written")])
def test_the_curves_are_those_of_the_history_and_the_chosen_head_is_picked_out(history, shift, place):
    from model.attribution.methods import SHIFTS

    at = opened("training", kind="cross", layer=1, head=4, shift=shift, text="A cat sleeps.")
    curves = charts(at)[0]["data"]
    chosen = [each for each in curves if each["name"] == "L1 H4"]
    np.testing.assert_allclose(array(chosen[0]["y"]), history.aer[:, SHIFTS.index(place), 1, 4], rtol=1e-5)
    assert chosen[0]["line"]["width"] > curves[0]["line"]["width"]
    np.testing.assert_allclose(array(curves[-1]["y"]), history.dev_bleu, rtol=1e-5)
    assert text("en", "past.others") in words(at)
    assert sent(at)["kinds"][0]["kind"] == "cross"


def test_what_is_not_kept_is_said_in_one_sentence():
    at = opened("training", kind="encoder_self", course="aer")
    assert [each.value for each in at.info] == [text("en", "past.none.aer")]
    assert [each.value for each in choose(at, course="importance").info] == [text("en", "past.none.importance")]
    assert not choose(at, course="job", lang="zh").info


@pytest.mark.parametrize("trained", ["<b>", 10**9, -1, 17])
def test_nonsense_in_the_link_is_as_nothing_there(trained):
    at = opened("training", trained=trained)
    assert at.session_state["trained"] == opened("training").session_state["trained"]


@pytest.mark.parametrize("checkpoint", ["en-zh", pytest.param("reverse", marks=reverse)])
def test_before_one_chooses_a_half_trained_model_stands_beside_the_finished_one(checkpoint):
    step = opened("training", checkpoint=checkpoint, text="stressed").session_state["trained"]
    found = read_history(CHECKPOINTS / checkpoint / "history.npz")
    point = found.step.tolist().index(step)
    assert 0 < found.dev_bleu[point] < found.dev_bleu[-1] / 2 <= found.dev_bleu[point + 1]


@reverse
def test_the_toy_keeps_importance():
    at = opened("training", checkpoint="reverse", text="stressed", course="importance", kind="cross", layer=1, head=0)
    assert not at.info
    assert len(charts(at)) == 2


def test_a_history_of_other_weights_is_refused(monkeypatch):
    from viz.core.models import ModelEntry

    monkeypatch.setattr(ModelEntry, "sha256", "0" * 64)
    assert 'role="alert"' in markup(opened("training"))
