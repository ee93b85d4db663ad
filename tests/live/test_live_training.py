"""A Transformer trained while somebody watches: it learns, it ends when it should, and there is one at a time."""

from __future__ import annotations

import time

import numpy as np
import pytest
import torch

from model.errors import TrainerBusyError
from model.live import training as live
from model.live.task import LIVE_LETTERS, PROBE, batch, spelt
from model.live.training import Place, Training
from model.own.text.vocab import BOS_ID, EOS_ID


def ended(training: Training, patience: float = 60.0) -> Training:
    """The training once its thread is done, looked at all the while."""
    until = time.monotonic() + patience
    while training.thread.is_alive() and time.monotonic() < until:
        training.look()
        training.thread.join(0.05)
    assert not training.thread.is_alive()
    return training


@pytest.fixture(scope="module")
def copied() -> Training:
    return ended(Place().begin(Training("copy", seed=1, steps=200)))


def test_what_is_read_and_written_is_spelt_as_the_task_says() -> None:
    source, read, wanted = batch("reverse", ["abj"])
    assert spelt(source[0].tolist()) == "abj"
    assert spelt(wanted[0].tolist()) == "jba"
    assert (source[0, -1], wanted[0, -1], read[0, 0]) == (EOS_ID, EOS_ID, BOS_ID)
    assert torch.equal(read[:, 1:], wanted[:, :-1])
    assert len(set(PROBE)) > 4
    assert set(PROBE) <= set(LIVE_LETTERS)


def test_the_loss_falls_and_new_strings_come_out_right(copied: Training) -> None:
    seen = copied.seen
    assert (seen.step, [step for step, _ in seen.losses]) == (200, list(range(25, 201, 25)))
    assert seen.losses[-1][1] < 0.2 * seen.losses[0][1]
    assert seen.losses[0][1] == pytest.approx(np.log(14), abs=0.6), "it begins near a guess among all ids"
    assert seen.right > 0.5
    assert seen.end == "steps"


def test_its_attention_goes_to_the_letter_that_is_to_be_written(copied: Training) -> None:
    weights = copied.seen.weights
    assert weights is not None
    assert weights.shape == (2, len(PROBE) + 1, len(PROBE) + 1)
    np.testing.assert_allclose(weights.sum(-1), 1.0, atol=1e-5)
    hits = (weights.argmax(-1) == copied.sought).sum(-1)
    assert hits.max() >= len(PROBE) - 2
    backwards = Training("reverse")
    assert (weights.argmax(-1) == backwards.sought).sum(-1).max() < hits.max()
    assert [PROBE[place] for place in backwards.sought[:-1]] == list(backwards.answer)


def test_one_at_a_time_and_the_next_when_it_is_stopped() -> None:
    place = Place()
    first = place.begin(Training("copy"))
    with pytest.raises(TrainerBusyError):
        place.begin(Training("reverse"))
    first.stop()
    assert ended(first, 10).seen.end == "stopped"
    assert first.seen.step < first.steps
    second = place.begin(Training("reverse", steps=1))
    assert ended(second, 10).seen.end == "steps"


def test_it_ends_by_itself_when_the_time_is_over_or_the_visitor_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ended(Place().begin(Training("copy", seconds=0.0))).seen.end == "time"
    monkeypatch.setattr(live, "LEFT_AFTER", -1.0)
    gone = Place().begin(Training("copy"))
    gone.thread.join(10)
    assert gone.seen.end == "left"
    assert gone.is_over


def test_nobody_can_ask_for_more_than_a_minute_or_for_more_steps() -> None:
    greedy = Training("copy", seconds=1e9, steps=10**9)
    assert (greedy.seconds, greedy.steps) == (live.MOST_SECONDS, live.MOST_STEPS)
    assert greedy.seconds <= 60
    assert sum(parameter.numel() for parameter in greedy.model.parameters()) < 50_000


def test_the_same_seed_makes_the_same_model_and_other_randomness_is_left_alone() -> None:
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    one, same, other = (Training("copy", seed=seed).model.state_dict() for seed in (4, 4, 5))
    assert torch.equal(torch.rand(2), expected)
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert not all(torch.equal(one[name], other[name]) for name in one)
