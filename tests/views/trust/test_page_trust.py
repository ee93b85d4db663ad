from __future__ import annotations

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.analysis.faithfulness.deletion import by_words, leave_one_out
from model.analysis.faithfulness.table import MEASURES, ROWS
from model.analysis.faithfulness.verdict import honesty, honesty_of_all, honesty_of_words
from model.attribution.methods import METHOD_NAMES, METHODS, attribution_maps
from tests.pages import SENTENCE, array, charts, choose, components, markup, prepared, reverse, sent, shipped
from viz.charts.deletion import BarText, honesty_html
from viz.core.answers import what_if
from viz.core.theme import DARK, LIGHT
from viz.views.trust.page import ORDER, Measure, dots_figure, matrices_figure

TEXT = BarText("v", "<b>", "random", "best", 'a "quoted" alternative')


@pytest.fixture
def at() -> AppTest:
    what_if.faithfulness.clear()
    yield prepared("trust", text=SENTENCE)
    what_if.faithfulness.clear()


def table() -> dict:
    """A made-up table in which votes are most ahead of norms."""
    rows = {
        name: {
            m: {"mean": row + column / 10, "se": 0.05, "gap": row / 10, "gap_se": 0.02}
            for column, m in enumerate(MEASURES)
        }
        for row, name in enumerate(ROWS)
    }
    rows["scores"]["token_cost"] = {"mean": None, "se": None, "gap": None, "gap_se": None}
    settings = [{"target": "references", "way": way, "sentences": 12, "rows": rows} for way in ("mask", "average")]
    facts = {"sentences": 12, "tokens": 99, "command": "<i>made up</i>", "base": "norms", "best": "votes"}
    return facts | {"settings": settings, "pairs": dict.fromkeys(METHODS, 12), "seconds": dict.fromkeys(METHODS, 0.1)}


def bar(at: AppTest) -> dict[str, str]:
    found = re.search(r'data-verdict="(\w+)" data-cost="([-\d.]+)" data-median="([-\d.]+)"', markup(at))
    return dict(zip(("verdict", "cost", "median"), found.groups(), strict=True)) if found else {}


@shipped
def test_the_table_draws_its_numbers_and_names_the_winner(at, monkeypatch):
    monkeypatch.setattr(what_if, "load_faithfulness", lambda name, sha256: (table(), ""))
    method = charts(at.run())[0]["data"]
    assert len(method) == len(MEASURES)
    rows = [ROWS.index(name) for name in ORDER]
    for column, trace in enumerate(method):
        expected = np.array(rows) + column / 10
        if MEASURES[column] == "token_cost":
            expected[ORDER.index("scores")] = np.nan
        np.testing.assert_allclose(array(trace["x"]), expected)
        np.testing.assert_allclose(np.nan_to_num(array(trace["error_x"]["array"]))[2], 0.1)
        hollow = [name for name, symbol in zip(ORDER, trace["marker"]["symbol"], strict=True) if "open" in symbol]
        assert hollow == ["leave_one_out", "value_zeroing", "cross_zeroing", "random"]
    assert "Begin with votes here" in markup(at)
    assert "ahead of norms" in markup(at)
    assert "Comprehensiveness +0.60 ± 0.04" in markup(at)
    assert "<i>made up" not in markup(at)
    assert at.dataframe[0].value.shape == (len(ROWS), 5 + len(MEASURES))
    choose(at, target="own")
    assert not at.get("plotly_chart")
    assert "was not scored" in at.info[0].value


@shipped
@pytest.mark.parametrize("why", ["stale", "missing", "damaged"])
def test_a_table_that_is_not_of_these_weights_is_not_shown(at, monkeypatch, why):
    monkeypatch.setattr(what_if, "load_faithfulness", lambda name, sha256: (None, why))
    assert f'data-table="{why}"' in markup(at.run())
    assert not at.get("plotly_chart")


@shipped
def test_the_sentence_draws_deletions_the_map_and_every_head(at, en_zh, translation):
    choose(at, trust="sentence", layer=2, head=4, shift="written")
    found, rows = leave_one_out(en_zh, translation), by_words(translation.trace.cross, translation.trace.src)
    matrices = [array(trace["z"]) for trace in charts(at)[0]["data"] if trace["type"] == "heatmap"]
    np.testing.assert_allclose(matrices[0], found.costs.T, atol=1e-3)
    np.testing.assert_allclose(matrices[1], rows[2, 4], atol=1e-4)
    one, every = honesty(found, rows[2, 4]), honesty_of_all(found, rows)
    assert bar(at)["verdict"] == one.verdict
    assert float(bar(at)["cost"]) == pytest.approx(one.cost, abs=1e-3)
    assert float(bar(at)["median"]) == pytest.approx(one.median, abs=1e-3)
    board = sent(at)["kinds"]
    assert [each["kind"] for each in board] == ["cross"]
    np.testing.assert_allclose(board[0]["values"], np.maximum(every.cost, 0), atol=1e-3)


@shipped
@pytest.mark.parametrize("method", METHOD_NAMES)
def test_whatever_is_drawn_is_judged(at, en_zh, translation, method):
    choose(at, trust="sentence", method=method, layer=1, head=3, shift="read")
    read = slice(0 if METHODS[method].of_written else 1, None)  # what is about the written token is named after it
    maps = attribution_maps(en_zh, translation, method)["cross"][1, 3, read]
    one = honesty(leave_one_out(en_zh, translation), by_words(maps, translation.trace.src, method))
    assert float(bar(at)["cost"]) == pytest.approx(one.cost, abs=2e-3)


@shipped
def test_a_gradient_of_one_token_is_judged_by_that_token(at, en_zh, translation):
    choose(at, trust="sentence", method="gradient_weight", of=3, layer=1, head=3)
    maps = attribution_maps(en_zh, translation, "gradient_weight", 2)["cross"][1, 3]
    marks = by_words(maps, translation.trace.src, "gradient_weight").sum(axis=0, dtype=float)
    one = honesty_of_words(en_zh, translation, marks, token=2)
    assert float(bar(at)["cost"]) == pytest.approx(one.cost, abs=2e-3)
    assert components(at) == []


@shipped
@pytest.mark.parametrize("sentence", ["Hello", "word " * 60, "</script><b>$x$ <img src=x onerror=alert(1)>"])
def test_any_sentence_in_either_language(at, sentence):
    choose(at, text=sentence, trust="sentence", lang="zh")
    assert "<img" not in markup(at)
    assert not any("<" in label for axis in ("xaxis", "yaxis") for label in charts(at)[0]["layout"][axis]["ticktext"])


@reverse
def test_on_reverse_the_best_head_is_green_and_its_row_one_off_is_not(at):
    choose(at, checkpoint="reverse", text="headlight", trust="sentence", layer=1, head=2, shift="written")
    assert bar(at)["verdict"] == "green"
    assert "✓" in markup(at)
    assert bar(choose(at, shift="read"))["verdict"] != "green"
    assert bar(choose(at, text="abc")) == {}
    assert "too few words" in markup(at)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_bar_says_where_everything_lies(theme):
    method = honesty_html(2.0, (-1.0, 0.5, 1.0), 3.0, "green", theme, TEXT)
    assert all(f"left: {place}%" in method for place in ("0.00", "37.50", "75.00", "100.00"))
    assert "&lt;b&gt;" in method
    assert 'aria-label="a &quot;quoted&quot; alternative"' in method
    assert "rotate(45deg)" not in honesty_html(2.0, (0, 0, 0), None, "red", theme, TEXT)
    with pytest.raises(ValueError, match="verdict must be one of"):
        honesty_html(2.0, (0, 0, 0), None, "short", theme, TEXT)


def test_figures_refuse_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match=r"3 rows, but m has \(2,\)"):
        dots_figure(["a", "b", "c"], [Measure("m", np.zeros(2), np.zeros(2), 0)], 1, LIGHT)
    names = {"titles": ("a", "b"), "names": ("c", "d")}
    with pytest.raises(ValueError, match="do not fit"):
        matrices_figure(np.zeros((2, 3)), np.zeros((3, 2)), ["a", "b"], ["c", "d", "e"], LIGHT, **names)


def test_rings_are_the_top_words_of_the_map():
    values = np.array([[0.1, 0.9], [0.6, 0.4]])
    names = {"titles": ("a", "b"), "names": ("c", "d")}
    figure = matrices_figure(np.eye(2), values, ["<b>", "y"], ["p", "q"], DARK, **names)
    rings = [trace for trace in figure.data if trace.type == "scatter"]
    assert all((list(each.x), list(each.y)) == ([1, 0], [0, 1]) for each in rings)
    assert figure.layout.yaxis.ticktext[0] == "&lt;b&gt;"
