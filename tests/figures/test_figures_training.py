from __future__ import annotations

from functools import partial

import pytest

from tests.figures.said import english
from viz.figures.lessons import training
from viz.figures.lessons.training import TrainingText
from viz.theme import DARK, LIGHT

training_curves = partial(training.training_curves, text=english(TrainingText))

LOG = [
    {"step": 50, "loss": 6.5, "lr": 1e-4, "tokens_per_second": 900},
    {"step": 100, "loss": 4.25, "lr": 2e-4},
    {"step": 100, "dev_bleu": 3.5},
    {"step": 150, "loss": 3.0, "lr": 1.5e-4},
    {"step": 150, "dev_bleu": 9.25},
    {"step": 150, "dev_bleu_of_average": 9.5, "averaged": 2},
]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_each_curve_takes_the_entries_that_hold_its_value(theme) -> None:
    loss, rate, bleu = training_curves(LOG, theme).data
    assert (loss.x, loss.y) == ((50, 100, 150), (6.5, 4.25, 3.0))
    assert rate.y == (1e-4, 2e-4, 1.5e-4)
    assert (bleu.x, bleu.y) == ((100, 150), (3.5, 9.25))
    assert [trace.yaxis for trace in (loss, rate, bleu)] == ["y", "y2", "y3"]


def test_panels_do_not_overlap() -> None:
    layout = training_curves(LOG, LIGHT).layout
    domains = [layout.xaxis.domain, layout.xaxis2.domain, layout.xaxis3.domain]
    assert domains[0][1] < domains[1][0] < domains[1][1] < domains[2][0] < domains[2][1] <= 1


def test_an_empty_log_draws_empty_panels_and_a_damaged_one_is_refused() -> None:
    assert [len(trace.x) for trace in training_curves([], LIGHT).data] == [0, 0, 0]
    with pytest.raises(ValueError, match="has no step"):
        training_curves([*LOG, {"loss": 1.0}], LIGHT)
