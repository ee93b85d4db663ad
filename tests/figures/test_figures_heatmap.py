from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from tests.figures.said import english
from viz.charts import heatmap
from viz.charts.colour import contrast, on_scale, prefers_light_ink, printed, rgb
from viz.charts.heatmap import HeatmapText, heatmap_config
from viz.charts.layout import labels_fit
from viz.core.text import LANGUAGES, text
from viz.core.theme import DARK, LIGHT, Theme

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
