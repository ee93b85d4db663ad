"""The plain pictures of the lessons."""

from __future__ import annotations

import numpy as np
import pytest

from viz.figures.lessons.curves import curves
from viz.figures.lessons.plain import bars, cells
from viz.theme import DARK, LIGHT


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_bars_stand_over_their_names_with_their_numbers(theme) -> None:
    figure = bars(["a", "<b>", "a"], {"one": np.array([0.5, -1, 2])}, theme, "weight")
    (drawn,) = figure.data
    assert drawn.text == ("0.50", "−1.00", "2.00")
    assert figure.layout.xaxis.ticktext == ("a", "&lt;b&gt;", "a")  # equal names stay apart, and none is markup
    assert drawn.x == (0, 1, 2)
    assert not figure.layout.showlegend


def test_numbers_are_left_out_where_they_would_touch() -> None:
    names = [str(place) for place in range(40)]
    two = {"one": np.ones(40), "other": np.zeros(40)}
    figure = bars(names, two, LIGHT, "weight")
    assert [trace.text for trace in figure.data] == [None, None]
    assert figure.data[0].customdata[0] == "1.00"
    assert figure.layout.showlegend
    assert figure.data[0].marker.color != figure.data[1].marker.color


def test_curves_differ_in_colour_and_dash_and_a_place_is_marked() -> None:
    x = np.linspace(0, 1, 50)
    figure = curves(x, {"one": x, "other": x**2}, LIGHT, ("a", "b"), mark=0.4)
    looks = [(trace.line.color, trace.line.dash) for trace in figure.data]
    assert len({colour for colour, _ in looks}) == len({dash for _, dash in looks}) == 2
    assert figure.layout.shapes[0].x0 == 0.4


def test_cells_carry_texts_where_they_fit_and_stay_blank_where_there_is_no_number() -> None:
    values = np.array([[0.0, np.nan], [1.0, 2.0]])
    figure = cells(values, ["a", "b"], ["c", "d"], LIGHT, texts=[["0", "-"], ["1", "2"]])
    heat, *texts = figure.data
    assert np.isnan(heat.z[0][1])
    assert heat.zmax == 2
    assert {text for trace in texts for text in trace.text} == {"0", "-", "1", "2"}
    narrow = cells(np.ones((1, 60)), ["a"], ["x"] * 60, LIGHT, texts=[["0.50"] * 60], width=400)
    assert len(narrow.data) == 1


def test_a_scale_goes_both_ways_where_it_begins_below_zero() -> None:
    values = np.array([[-1.0, 1.0]])
    both = cells(values, ["a"], ["b", "c"], LIGHT, limits=(-1, 1)).data[0]
    assert both.colorscale[2] == (0.5, LIGHT.diverging[2][1])
    assert cells(values, ["a"], ["b", "c"], LIGHT).data[0].colorscale[0] == (0.0, LIGHT.scale[0][1])


def test_chinese_columns_stand_upright_though_the_end_is_wide() -> None:
    names = [*"动物没有过马路", "<eos>"]
    figure = cells(np.ones((1, 8)), ["a"], names, LIGHT, width=214)
    assert figure.layout.xaxis.ticktext == (*"动物没有过马路", "eos")
    assert figure.layout.xaxis.tickangle == 0
    wide = cells(np.ones((1, 8)), ["a"], names, LIGHT, width=900)
    assert wide.layout.xaxis.ticktext[-1] == "&lt;eos&gt;"


def test_labels_of_many_tokens_keep_their_size_and_leave_some_out_but_every_cell_says_its_names() -> None:
    names = [f"token{place}" for place in range(50)]
    figure = cells(np.ones((50, 50)), names, names, LIGHT, width=400)
    across, down = figure.layout.xaxis, figure.layout.yaxis
    assert across.tickfont.size == down.tickfont.size == 14
    pitch = (figure.layout.width - figure.layout.margin.l - 16) / 50
    written = [place for place, name in enumerate(across.ticktext) if name]
    assert (written[1] - written[0]) * pitch >= 15 > pitch
    assert figure.data[0].hovertext[1][2] == "token1, token2"
    few = cells(np.ones((2, 2)), ["a", "b"], ["c", "d"], LIGHT)
    assert few.layout.xaxis.ticktext == ("c", "d")
    assert few.data[0].hovertext is None


def test_words_that_would_touch_are_turned() -> None:
    names = ["The", "animal", "did", "because"]
    assert cells(np.ones((1, 4)), ["a"], names, LIGHT, width=150).layout.xaxis.tickangle == -45
    assert cells(np.ones((1, 4)), ["a"], names, LIGHT, width=900).layout.xaxis.tickangle == 0


@pytest.mark.parametrize(
    "draw",
    [
        lambda: bars(["a"], {"x": np.ones(2)}, LIGHT, ""),
        lambda: bars([], {"x": np.ones(0)}, LIGHT, ""),
        lambda: curves(np.ones(3), {"x": np.ones(2)}, LIGHT, ("", "")),
        lambda: cells(np.ones((2, 2)), ["a"], ["b", "c"], LIGHT),
    ],
)
def test_what_does_not_fit_is_refused(draw) -> None:
    with pytest.raises(ValueError, match=r"shape|fit"):
        draw()
