from __future__ import annotations

from functools import partial

import pytest

from tests.figures.said import english
from viz.charts import training_curves as training
from viz.charts.training_curves import TrainingText

training_curves = partial(training.training_curves, text=english(TrainingText))

LOG = [
    {"step": 50, "loss": 6.5, "lr": 1e-4, "tokens_per_second": 900},
    {"step": 100, "loss": 4.25, "lr": 2e-4},
    {"step": 100, "dev_bleu": 3.5},
    {"step": 150, "loss": 3.0, "lr": 1.5e-4},
    {"step": 150, "dev_bleu": 9.25},
    {"step": 150, "dev_bleu_of_average": 9.5, "averaged": 2},
]


def test_each_curve_takes_the_entries_that_hold_its_value() -> None:
    loss, rate, bleu = training_curves(LOG)
    assert (loss.places.tolist(), loss.curves[0].values.tolist()) == ([50, 100, 150], [6.5, 4.25, 3.0])
    assert rate.curves[0].values.tolist() == [1e-4, 2e-4, 1.5e-4]
    assert (bleu.places.tolist(), bleu.curves[0].values.tolist()) == ([100, 150], [3.5, 9.25])
    assert {each.y.limits[0] for each in (loss, rate, bleu)} == {0}
    assert len({each.y.title for each in (loss, rate, bleu)}) == 3


def test_what_a_log_does_not_hold_is_not_drawn_and_a_damaged_one_is_refused() -> None:
    assert training_curves([]) == []
    assert len(training_curves(LOG[:2])) == 2
    with pytest.raises(ValueError, match="has no step"):
        training_curves([*LOG, {"loss": 1.0}])
