"""Pictures that compare: two maps, states, courses of training."""

from __future__ import annotations

from functools import partial

import numpy as np
import plotly.graph_objects as go
import pytest

from tests.pages import HOSTILE, english
from viz.charts import heatmap
from viz.charts.colour import contrast, on_scale, prefers_light_ink, printed, rgb
from viz.charts.heatmap import HeatmapText, heatmap_config
from viz.charts.layout import labels_fit
from viz.charts.markup import is_chinese, readings, ruby
from viz.charts.pair import Beside, beside_figure
from viz.core.text import LANGUAGES, text
from viz.core.theme import DARK, LIGHT, Theme
from viz.views.patching.grids import StatePanel, StatesText, states_figure
from viz.views.training.page import Course, courses_figure

attention_heatmap = partial(heatmap.attention_heatmap, text=english(HeatmapText))
heatmap_summary = partial(heatmap.heatmap_summary, text=english(HeatmapText))

WEIGHTS = np.array([[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]], dtype=np.float32)
ROWS, COLUMNS = ["the", "the"], ["<b>", "of", "of"]


def method(**settings: object):
    return attention_heatmap(WEIGHTS, ROWS, COLUMNS, title="L0 H3", theme=LIGHT, **settings)


def numbers(figure) -> dict[tuple[int, int], str]:
    """What is printed into the cells, by row and column."""
    texts = [trace for trace in figure.data if trace.type == "scatter"]
    return {(y, x): t for trace in texts for y, x, t in zip(trace.y, trace.x, trace.text, strict=True)}


def test_it_draws_the_weights_with_queries_down_and_keys_on_top() -> None:
    figure = method()
    np.testing.assert_array_equal(figure.data[0].z, WEIGHTS)
    assert figure.data[0].zmin == 0
    assert figure.layout.xaxis.side == "top"
    assert figure.layout.yaxis.range == (1.5, -0.5)
    assert figure.layout.yaxis.title.text == "query (attends)"
    assert figure.layout.xaxis.title.text == "key (is attended)"


def test_equal_tokens_stay_apart_and_markup_is_inert() -> None:
    axis = method().layout.xaxis
    assert axis.tickvals == (0, 1, 2)
    assert axis.ticktext == ("&lt;b&gt;", "of", "of")
    assert axis.type is None
    title = attention_heatmap(WEIGHTS, ROWS, COLUMNS, title="<a href='x'>", theme=LIGHT).layout.title.text
    assert title.startswith("&lt;a")


def test_the_hover_has_the_weights_and_no_token_in_its_template() -> None:
    heat = method().data[0]
    np.testing.assert_array_equal(heat.text, WEIGHTS)
    assert "%{text:.4f}" in heat.hovertemplate
    assert not {"the", "of"} & set(heat.hovertemplate.replace("<", " ").split())


def test_colours_end_at_the_maps_own_maximum() -> None:
    assert method().data[0].zmax == pytest.approx(0.9)
    zeros = attention_heatmap(np.zeros((1, 2)), ["a"], ["b", "c"], title="", theme=LIGHT)
    assert zeros.data[0].zmax == 1


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_small_maps_print_every_weight_where_it_stands(theme: Theme) -> None:
    figure = attention_heatmap(WEIGHTS, ROWS, COLUMNS, title="", theme=theme)
    expected = {(0, 0): "0.90", (0, 1): "0.10", (0, 2): "0", (1, 0): "0.20", (1, 1): "0.30", (1, 2): "0.50"}
    assert numbers(figure) == expected


@pytest.mark.parametrize(("tokens", "height"), [(2, 400), (60, 1200), (200, 2600)])
def test_large_maps_grow_within_reason_and_print_nothing(tokens: int, height: int) -> None:
    names = ["word"] * tokens
    figure = attention_heatmap(np.full((tokens, tokens), 1 / tokens), names, names, title="", theme=DARK)
    assert figure.layout.height <= height
    assert figure.layout.width <= 1200
    assert len(figure.layout.yaxis.ticktext) == tokens
    assert figure.layout.yaxis.tickfont.size >= 8
    assert bool(numbers(figure)) == (tokens == 2)


def test_short_labels_stand_level_and_long_ones_turn() -> None:
    def angle(columns: list[str]) -> int:
        weights = np.ones((1, len(columns)))
        return attention_heatmap(weights, ["a"], columns, title="", theme=LIGHT).layout.xaxis.tickangle

    assert angle(["这"] * 14) == 0
    assert angle(["because"] * 14) == -45
    assert angle(["because"] * 60) == -90
    assert not labels_fit(["because", "because"], 15, 30)


@pytest.mark.parametrize("shape", [(3, 2), (2, 2), (2, 3, 1), (0, 0)])
def test_wrong_shapes_are_refused_with_both_shapes(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"shape .*, but rows and columns name \(2, 3\)"):
        attention_heatmap(np.zeros(shape), ROWS, COLUMNS, title="", theme=LIGHT)


def test_the_summary_says_who_attends_most_to_whom() -> None:
    summary = heatmap_summary(WEIGHTS, ["a", "b"], ["x", "y", "z"])
    assert "2 queries by 3 keys" in summary
    assert "a → x 0.90, b → z 0.50" in summary
    with pytest.raises(ValueError, match="name"):
        heatmap_summary(WEIGHTS, ["a"], ["x", "y", "z"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_of_the_figure_can_be_said_in_both_languages(language: str) -> None:
    words = HeatmapText.said_by(lambda key: text(language, key))
    figure = method(text=words)
    assert figure.layout.xaxis.title.text == text(language, "heatmap.key")
    assert "2" in heatmap_summary(WEIGHTS, ["a", "b"], ["x", "y", "z"], text=words)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_ink_in_cells_can_be_read_at_every_weight(theme: Theme) -> None:
    colours = on_scale(np.linspace(0, 1, 101), theme.scale)
    inks = np.where(prefers_light_ink(colours)[:, None], rgb("#FFFFFF"), rgb("#000000"))
    assert contrast(colours, inks).min() >= 4.5
    assert contrast(rgb("#FFFFFF"), rgb("#000000")) == pytest.approx(21)
    assert printed([["", ""]], colours[:2], 12) == []


def test_the_mode_bar_downloads_a_sharp_png_or_an_svg_and_sends_nothing_away() -> None:
    assert heatmap_config("map")["toImageButtonOptions"] == {"format": "png", "filename": "map", "scale": 3}
    assert heatmap_config("map", "svg")["toImageButtonOptions"]["format"] == "svg"
    assert heatmap_config("map")["showSendToCloud"] is False
    with pytest.raises(ValueError, match="png, svg"):
        heatmap_config("map", "gif")


def test_every_character_gets_its_syllable_and_the_rest_stays() -> None:
    assert readings("动物") == ["dòng", "wù"]
    assert ruby("它，Tom!") == "<ruby>它<rt>tā</rt></ruby>，Tom!"
    assert ruby("") == ""


def test_readings_go_by_words() -> None:
    assert readings("银行") == ["yín", "háng"]
    assert readings("行走") == ["xíng", "zǒu"]


def test_a_character_that_no_table_knows_stands_alone_and_markup_is_inert() -> None:
    rare = chr(0x323A0)
    assert readings(f"动{rare}物") == ["dòng", "", "wù"]
    assert not is_chinese("。")
    shown = ruby(f"<img src=x>动{rare}")
    assert "<img" not in shown
    assert shown.endswith(f"<ruby>动<rt>dòng</rt></ruby>{rare}")


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
