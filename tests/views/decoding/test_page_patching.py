"""The page of patching, through Streamlit's AppTest: no browser."""

from __future__ import annotations

import pytest

from model.analysis.what_if.patching import Carried, contrast, patched_ids, sweep
from tests.pages import HOSTILE, charts, choose, markup, opened, reverse, sent, shipped, words
from viz.text import text

pytestmark = shipped
ONE, OTHER = "I like red apples.", "I do not like red apples."


@pytest.fixture(scope="module")
def about(en_zh):
    found = contrast(en_zh.translate(ONE), en_zh.translate(OTHER))
    assert found is not None
    return found


@pytest.fixture(scope="module")
def swept(en_zh, about):
    return sweep(en_zh, about)


def test_the_board_and_the_list_say_what_each_site_moves(en_zh, about, swept):
    at = opened("patching", text=ONE, other=OTHER)
    for kind in sent(at)["kinds"]:
        expected = swept.heads[kind["kind"]]
        assert [value for row in kind["values"] for value in row] == pytest.approx(expected.ravel().tolist(), abs=1e-3)
    best = next(site for site in swept.best() if site.head)
    assert at.session_state["carry"] == best.code
    assert "carry" not in at.query_params
    assert len(at.selectbox(key="pick_carry").options) == len(swept.best())


def test_a_link_carries_a_state_and_shows_what_is_written_then(en_zh, about, swept):
    best = next(site for site in swept.best() if site.head is None)
    at = opened("patching", text=ONE, other=OTHER, carry=best.code)
    assert at.session_state["carry"] == best.code
    written = en_zh.decode_target(patched_ids(en_zh, about, best))
    assert written in "".join(words(at).split())
    shapes = charts(at)[0]["layout"]["shapes"]
    assert any(shape["line"]["width"] == 3 for shape in shapes)


@pytest.mark.parametrize("carry", [HOSTILE, "s99.0", "c9.9", "s0.999", "x"])
def test_nonsense_in_the_link_is_the_best_head(carry, swept):
    at = opened("patching", text=ONE, other=OTHER, carry=carry)
    assert at.session_state["carry"] == next(site for site in swept.best() if site.head).code
    assert "<img" not in markup(at)


def test_a_word_without_a_partner_cannot_be_carried():
    at = opened("patching", text=OTHER, other=ONE, carry="s0.1")
    assert Carried.parse(at.session_state["carry"]).head is not None
    points = [trace for trace in charts(at)[0]["data"] if trace.get("mode") == "markers"]
    none = text("en", "states.none")
    codes = [code for code, said in zip(points[0]["customdata"], points[0]["text"], strict=True) if said == none]
    assert {code.split(".")[1] for code in codes} == {"1", "2"}


def test_two_sentences_of_one_translation_get_one_sentence():
    at = opened("patching", text=ONE, other=ONE)
    assert text("en", "carry.same") in [each.value for each in at.info]
    assert not charts(at)
    assert text("zh", "carry.same") in [each.value for each in choose(at, lang="zh").info]


@reverse
def test_the_toy_works():
    assert charts(opened("patching", checkpoint="reverse", text="headlight"))
