"""Pictures that compare: two maps, states, courses of training."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import pytest

from tests.figures.said import english
from tests.pages import HOSTILE
from viz.charts.heatmap import HeatmapText
from viz.charts.pair import Beside, beside_figure
from viz.core.theme import DARK, LIGHT
from viz.views.patching.grids import StatePanel, StatesText, states_figure
from viz.views.training.page import Course, courses_figure

WORDS = english(HeatmapText)
STATES = english(StatesText)


def side(rows: int, columns: int, **more) -> Beside:
    weights = np.linspace(0, 1, rows * columns).reshape(rows, columns)
    return Beside("map", weights, [f"r{n}" for n in range(rows)], [f"c{n}" for n in range(columns)], **more)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_two_maps_have_one_scale_cells_of_one_size_and_marked_tokens(theme):
    figure = go.Figure(beside_figure((side(3, 4, changed_columns={1}), side(5, 6, changed_rows={0})), theme, WORDS))
    heats = [each for each in figure.data if each.type == "heatmap"]
    assert {(each.zmin, each.zmax, each.colorscale) for each in heats} == {(0, 1, heats[0].colorscale)}
    layout = figure.layout
    assert [theme.accent in text for text in layout.xaxis.ticktext] == [False, True, False, False]
    assert [theme.accent in text for text in layout.yaxis2.ticktext] == [True, False, False, False, False]
    wide = [(axis.domain[1] - axis.domain[0]) / n for axis, n in ((layout.xaxis, 4), (layout.xaxis2, 6))]
    tall = [(axis.domain[1] - axis.domain[0]) / n for axis, n in ((layout.yaxis, 3), (layout.yaxis2, 5))]
    assert wide[0] == pytest.approx(wide[1])
    assert tall[0] == pytest.approx(tall[1])
    assert layout.xaxis.domain[1] < layout.xaxis2.domain[0]


def test_a_signed_pair_has_a_scale_around_zero():
    heat = beside_figure((side(2, 2), side(2, 2)), LIGHT, WORDS, high=3.0, is_signed=True).data[0]
    assert (heat.zmin, heat.zmax) == (-3, 3)


def test_one_map_alone_has_its_scale_beside_it_and_larger_cells_than_two_of_many_tokens():
    alone, pair = beside_figure((side(5, 30),), LIGHT, WORDS), beside_figure((side(5, 30), side(5, 30)), LIGHT, WORDS)
    assert [each.showscale for each in alone.data if each.type == "heatmap"] == [True]
    assert [each.showscale for each in pair.data if each.type == "heatmap"] == [False, True]
    assert alone.layout.xaxis.domain == (0, 1)
    assert alone.layout.width > pair.layout.width / 2
    assert alone.layout.width <= 1210


def test_sixty_tokens_a_side_still_fit_the_page():
    figure = beside_figure((side(60, 60), side(60, 60)), LIGHT, WORDS)
    assert figure.layout.width <= 1210
    assert figure.layout.height > 60 * 15


def test_maps_that_do_not_fit_their_labels_are_refused():
    with pytest.raises(ValueError, match="rows"):
        beside_figure((side(2, 2), Beside("x", np.zeros((2, 3)), ["a"], ["b"])), LIGHT, WORDS)


def test_tokens_and_titles_are_shown_literally():
    evil = Beside(HOSTILE, np.ones((1, 1)), [HOSTILE], [HOSTILE], {0}, {0})
    panel = StatePanel(HOSTILE, "s", np.ones((1, 1)), [HOSTILE])
    course = Course(HOSTILE, np.ones((2, 1)), ["L0 H0"])
    for figure in (
        beside_figure((evil, evil), LIGHT, WORDS),
        states_figure([panel], LIGHT, STATES),
        courses_figure([course], [0, 1], 0, LIGHT, "step"),
    ):
        assert "<img" not in str(figure.to_dict())


def test_states_that_cannot_be_carried_are_said_and_each_cell_has_its_code():
    shares = np.array([[0.0, 1.2], [np.nan, -0.5], [0.3, 0.004]])
    panel = StatePanel("src", "s", shares, ["a", "b"], chosen=(1, 1), reached=(2, 0))
    figure = go.Figure(states_figure([panel, StatePanel("tgt", "t", shares[:, :1], ["c"])], DARK, STATES))
    points = [each for each in figure.data if each.type == "scatter" and each.mode == "markers"]
    assert list(points[0].customdata) == ["s0.0", "s0.1", "s1.0", "s1.1", "s2.0", "s2.1"]
    assert points[0].text[2] == STATES.none
    assert points[0].text[3] == STATES.hover.format(share="−50")
    assert points[0].text[5] == STATES.hover.format(share="0")
    inked = [each for each in figure.data if each.type == "scatter" and each.mode == "text" and each.xaxis == "x"]
    printed = {(x, y): text for each in inked for x, y, text in zip(each.x, each.y, each.text, strict=True)}
    assert printed == {(1, 0): "120", (0, 1): "×", (1, 1): "−50", (0, 2): "30"}
    first = [shape for shape in figure.layout.shapes if shape.xref == "x"]
    assert (first[-1].x0, first[-1].y0) == (0.5, 0.5)
    with pytest.raises(ValueError, match="tokens"):
        states_figure([StatePanel("src", "s", shares, ["a"])], LIGHT, STATES)


def test_the_chosen_curve_is_drawn_last_and_the_line_stands_at_the_point():
    values = np.array([[1.0, 2, 3], [3, 2, 1]])
    figure = courses_figure([Course("a", values, ["x", "y", "z"], 1)], [0, 100], 1, LIGHT, "step")
    assert [each.name for each in figure.data] == ["x", "z", "y"]
    assert figure.data[-1].line.color == LIGHT.accent
    assert figure.layout.shapes[0].x0 == 1
    assert list(figure.layout.xaxis.ticktext) == ["0", "100"]
    with pytest.raises(ValueError, match="points"):
        courses_figure([Course("a", values, ["x"])], [0, 100], 1, LIGHT, "step")
