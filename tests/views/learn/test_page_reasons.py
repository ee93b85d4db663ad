"""Why a head looks there, as a part of the view of a head from the inside."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from model.analysis.residual.reasons import largest, reasons
from model.source import ABILITIES
from model.trace import KINDS, HeadRef
from tests.pages import HOSTILE, array, charts, choose, markup, opened, prepared, reverse, shipped, words
from viz.core.models import entry_of
from viz.core.numbers import number, signed
from viz.core.text import LANGUAGES, text
from viz.core.theme import DARK, LIGHT
from viz.views.inside.page import ReasonsTitles, reasons_figure

TITLES = ReasonsTitles("query <b>", "key", "sum")


def heat(figure: dict) -> np.ndarray:
    return array(figure["data"][0]["z"])


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_table_is_drawn_with_its_sums(theme):
    table = np.array([[0.5, -1.25, 0.001], [0.25, 0.0, 2.0]])
    figure = reasons_figure(table, ["a<b>", "b"], ["x", "y", "z"], theme, TITLES)
    method = np.array(figure.data[0].z)
    np.testing.assert_allclose(method[:2, :3], table, atol=1e-6)
    assert np.isnan(method[2]).all()
    assert np.isnan(method[:, 3]).all()
    assert (figure.data[0].zmin, figure.data[0].zmax) == (-2.0, 2.0)
    written = {
        (int(y), int(x)): said
        for trace in figure.data[1:]
        for y, x, said in zip(trace.y, trace.x, trace.text, strict=True)
    }
    assert written[0, 1] == "−1.25"
    assert (written[0, 3], written[1, 3], written[2, 3]) == ("−0.75", "2.25", "1.50")
    assert not {(0, 2), (1, 1)} & set(written)  # what would read as zero is left blank
    assert list(figure.layout.yaxis.ticktext) == ["a&lt;b&gt;", "b", "sum"]
    assert "<b>" not in figure.layout.yaxis.title.text


def test_a_table_that_does_not_fit_its_names_is_refused():
    with pytest.raises(ValueError, match=r"shape \(2, 3\)"):
        reasons_figure(np.zeros((2, 3)), ["a", "b"], ["x", "y"], LIGHT, TITLES)


@shipped
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_page_draws_the_table_of_the_strongest_key_and_names_the_largest(en_zh, translation, lang, kind):
    at = opened("inside", inside_view="reasons", lang=lang, kind=kind, layer=4, head=2, query=5, step="6")
    found = reasons(en_zh, translation, HeadRef(kind, 4, 2))
    rows, columns = translation.trace.axis_tokens(kind)
    key = found.strongest(5)
    table = found.table(5, key)
    (figure,) = charts(at)
    np.testing.assert_allclose(heat(figure)[:-1, :-1], table, atol=1e-6)
    names = [text(lang, f"reasons.part.{part.sort}", layer=part.layer) for part in found.query_parts]
    assert figure["layout"]["yaxis"]["ticktext"] == [*names, text(lang, "reasons.sum")]
    row, column = largest(table, 1)[0]
    said = words(at)
    assert text(lang, "reasons.long." + found.query_parts[row].sort, layer=found.query_parts[row].layer) in said
    assert f"“{rows[5]}”" in said
    assert f"“{columns[key]}”" in said
    assert signed(float(table[row, column])) in said
    assert number(float(found.scores[5, key]), 3) in said
    assert text(lang, "reasons.limits") in said
    assert "hl-holds" in markup(at)


@shipped
def test_another_key_is_another_table_and_the_strongest_follows_the_query(en_zh, translation):
    at = opened("inside", inside_view="reasons", kind="decoder_self", layer=1, head=2, step=6)
    found = reasons(en_zh, translation, HeadRef("decoder_self", 1, 2))
    choose(at, key_token=3)
    np.testing.assert_allclose(heat(charts(at)[0])[:-1, :-1], found.table(5, 3), atol=1e-6)
    assert len(at.selectbox(key="key_token").options) == 1 + 6  # the mask hides what comes after the query
    choose(at, step="3")  # from which key 3 is hidden
    assert at.session_state["key_token"] == -1
    np.testing.assert_allclose(heat(charts(at)[0])[:-1, :-1], found.table(2, found.strongest(2)), atol=1e-6)


@shipped
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_model_without_such_norms_is_told_in_one_sentence(monkeypatch, en_zh, lang):
    from viz.core.answers.maps import reasons as kept_reasons

    kept_reasons.clear()
    own = entry_of("en-zh").opened
    offered = frozenset(ABILITIES) - {"norms"}
    monkeypatch.setattr(own, "anatomy", replace(own.anatomy, abilities=offered))
    at = opened("inside", inside_view="reasons", lang=lang)
    assert words(at).count(text(lang, "view.lacks", checkpoint="en-zh", ability=text(lang, "ability.norms"))) == 1
    assert charts(at) == []
    assert len(charts(choose(at, inside_view="steps"))) == 1


@shipped
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sentence", ["Hello", "word " * 60, HOSTILE, "</script><b>$x$"])
def test_any_sentence_stays_text(kind, sentence):
    at = choose(prepared("inside", text=sentence, kind=kind, inside_view="reasons", query=1, key_token=0))
    figure = charts(at)[0]
    assert "<img" not in markup(at)
    assert "<b>" not in markup(at)
    assert "<" not in "".join(figure["layout"][axis]["title"]["text"] for axis in ("xaxis", "yaxis"))


@reverse
def test_the_toy_has_reasons_too():
    at = choose(
        prepared("inside", checkpoint="reverse", text="headlight", kind="cross", inside_view="reasons", query=0)
    )
    assert "hl-holds" in markup(at)
    assert heat(charts(at)[0]).shape[1] > 4
