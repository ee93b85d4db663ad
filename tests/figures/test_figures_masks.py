from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from tests.figures.said import english
from viz.charts import row_steps
from viz.charts.row_steps import StepsText, number
from viz.core.theme import DARK, LIGHT
from viz.views.masks import page as masks
from viz.views.masks.page import MaskText

steps_figure = partial(row_steps.steps_figure, text=english(StepsText))

batch_figure = partial(masks.batch_figure, text=english(MaskText))
combination_figure = partial(masks.combination_figure, text=english(MaskText))
mask_figure = partial(masks.mask_figure, text=english(MaskText))

TOKENS = (("I", "<b>", "<eos>"), ("Hi", "<eos>", "<pad>"))
PADDING = np.array([[True, True, True], [True, True, False]])
CAUSAL = np.tril(np.ones((3, 3), dtype=bool))
NAMES = ["a", "b", "b"]


def printed(figure) -> dict[tuple[int, int], str]:
    texts = [trace for trace in figure.data if trace.type == "scatter" and trace.mode == "text"]
    return {(y, x): t for trace in texts for y, x, t in zip(trace.y, trace.x, trace.text, strict=True)}


def test_a_batch_shows_its_tokens_escaped_over_its_mask() -> None:
    figure = batch_figure(PADDING, TOKENS, LIGHT)
    np.testing.assert_array_equal(figure.data[0].z, PADDING)
    assert printed(figure)[0, 1] == "&lt;b&gt;"
    assert printed(figure)[1, 2] == "&lt;pad&gt;"
    assert figure.data[0].text[1][2] == "&lt;pad&gt;"
    assert figure.layout.yaxis.ticktext == ("sentence 1", "sentence 2")


def test_a_batch_too_wide_for_its_tokens_leaves_them_to_the_hover() -> None:
    tokens = [["somewhere"] * 100]
    figure = batch_figure(np.ones((1, 100), dtype=bool), tokens, DARK)
    assert printed(figure) == {}
    assert figure.data[0].text[0][99] == "somewhere"
    assert figure.layout.width <= 1200


def test_a_mask_draws_what_may_be_attended_and_marks_blind_rows() -> None:
    figure = mask_figure(CAUSAL, NAMES, NAMES, LIGHT, numbers=1 - CAUSAL.astype(int), blind=(1,))
    np.testing.assert_array_equal(figure.data[0].z, CAUSAL)
    assert figure.data[0].colorscale[0][1] != figure.data[0].colorscale[1][1]
    assert [trace.name for trace in figure.data[1:4]] == ["may attend", "hidden", "sees nothing"]
    assert (figure.layout.shapes[0].y0, figure.layout.shapes[0].y1) == (0.53, 1.47)
    assert printed(figure)[0, 2] == "1"
    assert printed(figure)[2, 0] == "0"
    assert not mask_figure(CAUSAL, NAMES, NAMES, LIGHT).layout.shapes


def test_numbers_that_would_touch_are_left_out_of_a_mask_s_axes_but_not_of_its_cells() -> None:
    names = [str(place) for place in range(20)]
    figure = mask_figure(np.tri(20) == 1, names, names, LIGHT, size=300)
    assert figure.layout.xaxis.ticktext[:4] == ("0", "", "2", "")
    assert figure.layout.xaxis.tickfont.size == figure.layout.yaxis.tickfont.size == 14
    assert figure.data[0].customdata[1][3] == ["1", "3"]
    few = mask_figure(CAUSAL, NAMES, NAMES, LIGHT)
    assert few.layout.xaxis.ticktext == tuple(NAMES)


def test_the_combination_stands_beside_its_two_parts() -> None:
    padding, both = np.array([True, True, False]), CAUSAL & np.array([True, True, False])
    figure = combination_figure(padding, CAUSAL, both, NAMES, DARK)
    heats = [trace for trace in figure.data if trace.type == "heatmap"]
    assert [trace.xaxis for trace in heats] == ["x", "x2", "x3"]
    np.testing.assert_array_equal(heats[0].z, [[1, 1, 0]] * 3)
    np.testing.assert_array_equal(np.logical_and(heats[0].z, heats[1].z), heats[2].z)


def test_steps_show_minus_infinity_becoming_zero() -> None:
    scores = np.array([1.5, -2.0, 3.0], dtype=np.float32)
    masked = np.array([1.5, -2.0, -np.inf], dtype=np.float32)
    weights = np.array([0.97, 0.03, 0.0], dtype=np.float32)
    figure = steps_figure((scores, masked, weights), NAMES, LIGHT)
    texts = printed(figure)
    assert [texts[row, 2] for row in range(3)] == ["3.00", "−∞", "0"]
    assert [texts[row, 1] for row in range(3)] == ["−2.00", "−2.00", "0.03"]
    assert np.isnan(figure.data[1].z[0][2])
    assert (
        figure.data[1].customdata[0] == ("1.50000", "−2.00000", "−∞") or list(figure.data[1].customdata[0])[2] == "−∞"
    )
    assert figure.data[0].zmax == -figure.data[0].zmin == 3.0


def test_many_keys_keep_their_numbers_for_the_hover() -> None:
    values = np.linspace(0, 1, 90, dtype=np.float32)
    figure = steps_figure((values, values, values), ["w"] * 90, DARK)
    assert printed(figure) == {}
    assert figure.data[2].customdata[0][89] == "1.00000"
    assert number(-0.004) == "−0.00"


def test_wrong_shapes_are_refused_with_both_shapes() -> None:
    with pytest.raises(ValueError, match=r"shape \(2, 3\), but the rows hold \[3\]"):
        batch_figure(PADDING, TOKENS[:1], LIGHT)
    with pytest.raises(ValueError, match=r"shape \(3, 3\), but .* \(2, 3\)"):
        mask_figure(CAUSAL, NAMES[:2], NAMES, LIGHT)
    with pytest.raises(ValueError, match=r"padding has shape \(2,\), but there are 3"):
        combination_figure(np.ones(2, dtype=bool), CAUSAL, CAUSAL, NAMES, LIGHT)
    with pytest.raises(ValueError, match=r"shape \(2,\), but there are 3 keys"):
        steps_figure((np.zeros(3), np.zeros(2), np.zeros(3)), NAMES, LIGHT)
