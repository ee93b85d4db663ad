"""The plain pictures of the lessons."""

from __future__ import annotations

import base64
import json
from functools import partial

import numpy as np
import pytest

from tests.pages import english
from viz.charts import plain_shapes as training
from viz.charts.lesson_charts import bars, cells
from viz.charts.plain_shapes import TrainingText, curves, round_ticks

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


def written(axis) -> list[str]:
    return [name for _, name in axis.ticks]


def test_bars_stand_over_their_names_with_their_numbers() -> None:
    figure = bars(["a", "<b>", "a"], {"one": np.array([0.5, -1, 2])}, "weight")
    (method,) = figure.bars
    assert method.texts == ["0.50", "−1.00", "2.00"]
    assert figure.x.ticks == [(0, "a"), (1, "<b>"), (2, "a")]  # equal names stay apart
    assert figure.x.limits == (-0.5, 2.5)
    low, high = figure.y.limits
    assert low < -1.1
    assert high > 2.1  # the numbers have room


def test_numbers_are_left_out_where_they_would_touch() -> None:
    names = [str(place) for place in range(40)]
    figure = bars(names, {"one": np.ones(40), "other": np.zeros(40)}, "weight")
    assert [series.texts for series in figure.bars] == [(), ()]
    assert figure.bars[0].colour != figure.bars[1].colour


def test_curves_differ_in_colour_and_dash_and_a_place_is_marked() -> None:
    x = np.linspace(0, 1, 50)
    figure = curves(x, {"one": x, "other": x**2}, ("a", "b"), mark=0.4)
    assert len({each.colour for each in figure.curves}) == len({each.dash for each in figure.curves}) == 2
    assert figure.mark == 0.4
    assert not figure.curves[0].dots
    assert curves(x[:9], {"few": x[:9]}, ("a", "b")).curves[0].dots


@pytest.mark.parametrize(
    ("low", "high", "whole", "expected"),
    [
        (0.0, 1.12, False, ["0.00", "0.25", "0.50", "0.75", "1.00"]),
        (0.67, 12.3, False, ["2.5", "5.0", "7.5", "10.0"]),
        (0.67, 12.3, True, ["5", "10"]),
        (0.67, 3.3, True, ["1", "2", "3"]),
        (1.0, 19_901.0, True, ["5,000", "10,000", "15,000"]),
        (-1e-4, 1.3e-3, False, ["0.0000", "0.0005", "0.0010"]),
        (-1.12, 1.12, False, ["−1.0", "−0.5", "0.0", "0.5", "1.0"]),
    ],
)
def test_ticks_are_round_numbers_within_the_axis(low: float, high: float, whole: bool, expected: list[str]) -> None:
    assert [name for _, name in round_ticks(low, high, whole=whole)] == expected


def test_cells_carry_texts_where_they_fit() -> None:
    values = np.array([[0.0, np.nan], [1.0, 2.0]])
    figure = cells(values, ["a", "b"], ["c", "d"], texts=[["0", "-"], ["1", "2"]])
    assert figure.cells.limits == (0, 2)
    assert figure.cells.texts == [["0", "-"], ["1", "2"]]
    assert figure.y.limits == (1.5, -0.5)  # the first row is the upper one
    assert cells(np.ones((1, 60)), ["a"], ["x"] * 60, texts=[["0.50"] * 60], width=400).cells.texts == ()
    low = {
        high: cells(np.ones((16, 1)), ["a"] * 16, ["x"], texts=[["1"]] * 16, most_height=high) for high in (152, 224)
    }
    assert (low[152].cells.texts, low[224].cells.texts) == ((), [["1"]] * 16)  # rows of 9.5 and of 14 pixels


def test_what_is_sent_is_json_and_keeps_every_number() -> None:
    values = np.array([[1 / 3, np.nan], [-1e-9, 2.0]])
    sent = json.loads(json.dumps(cells(values, ["a", "b"], ["c", "d"], limits=(-1, 1)).sent()))
    back = np.frombuffer(base64.b64decode(sent["cells"]["values"]), "<f4").reshape(2, 2)
    np.testing.assert_array_equal(back, values.astype(np.float32))
    assert sent["x"]["ticks"] == [[0, "c"], [1, "d"]]


def test_chinese_columns_stand_upright_though_the_end_is_wide() -> None:
    names = [*"动物没有过马路", "<eos>"]
    figure = cells(np.ones((1, 8)), ["a"], names, width=214)
    assert written(figure.x) == [*"动物没有过马路", "eos"]
    assert figure.x.angle == 0
    assert written(cells(np.ones((1, 8)), ["a"], names, width=900).x)[-1] == "<eos>"


def test_labels_of_many_tokens_leave_some_out_but_every_cell_knows_its_names() -> None:
    names = [f"token{place}" for place in range(50)]
    figure = cells(np.ones((50, 50)), names, names, width=400)
    pitch = (figure.width - figure.margin[0] - 16) / 50
    (first, _), (second, _) = figure.x.ticks[:2]
    assert (second - first) * pitch >= 15 > pitch
    assert list(figure.rows) == list(figure.names) == names


def test_names_that_were_left_out_by_hand_are_not_thinned_again() -> None:
    names = [str(place) if place % 25 == 0 else "" for place in range(100)]
    figure = cells(np.ones((100, 100)), names, names, width=300, most_height=200)
    assert written(figure.x) == written(figure.y) == ["0", "25", "50", "75"]
    assert figure.x.angle == 0


def test_words_that_would_touch_are_turned() -> None:
    names = ["The", "animal", "did", "because"]
    assert cells(np.ones((1, 4)), ["a"], names, width=150).x.angle == -45
    assert cells(np.ones((1, 4)), ["a"], names, width=900).x.angle == 0


@pytest.mark.parametrize(
    "draw",
    [
        lambda: bars(["a"], {"x": np.ones(2)}, ""),
        lambda: bars([], {"x": np.ones(0)}, ""),
        lambda: curves(np.ones(3), {"x": np.ones(2)}, ("", "")),
        lambda: cells(np.ones((2, 2)), ["a"], ["b", "c"]),
    ],
)
def test_what_does_not_fit_is_refused(draw) -> None:
    with pytest.raises(ValueError, match=r"shape|fit"):
        draw()
