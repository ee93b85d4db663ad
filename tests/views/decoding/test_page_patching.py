"""The page of patching, through Streamlit's AppTest: no browser."""

from __future__ import annotations

import shutil

import pytest

from model.analysis.what_if.patching import Carried, contrast, patched_ids, sweep
from model.folders import MODELS, resolve
from model.translator import Translator
from tests.pages import HOSTILE, charts, choose, markup, opened, reverse, sent, shipped, words
from viz.core import models
from viz.core.text import text

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


TOY = {"checkpoint": "reverse", "text": "headlight"}


@reverse
def test_the_toy_takes_from_the_step_at_which_it_was_half_trained_before_another_is_chosen():
    finished, half = (Translator.from_checkpoint(name, "cpu") for name in ("reverse", "reverse@600"))
    at = opened("patching", **TOY, donor="model")
    assert at.session_state["against"] == "reverse@600"
    about = contrast(finished.translate("headlight"), half.translate("headlight"))
    expected = sweep(finished, about, half)
    for kind in sent(at)["kinds"]:
        values = expected.heads[kind["kind"]]
        assert [value for row in kind["values"] for value in row] == pytest.approx(values.ravel().tolist(), abs=1e-3)
    best = next(site for site in expected.best() if site.head)
    assert at.session_state["carry"] == best.code
    assert finished.decode_target(patched_ids(finished, about, best, half)) in "".join(words(at).split())
    names = dict(one="reverse", other="reverse · step 600")
    assert text("en", "carry.meaning.models", **names) in words(at)
    assert charts(choose(at, donor="sentence")) != charts(choose(at, donor="model"))


@reverse
def test_models_that_write_the_same_or_are_not_there_get_one_sentence():
    same = opened("patching", **TOY, donor="model", against="reverse@2400")
    assert text("en", "carry.same_models") in [each.value for each in same.info]
    assert not charts(same)
    nonsense = opened("patching", **TOY, donor="model", against=HOSTILE)
    assert nonsense.session_state["against"] == "reverse@600"
    assert "<img" not in markup(nonsense)
    alone = opened("patching", text=ONE, donor="model")
    assert text("en", "carry.no_model", model="en-zh") in words(alone)
    assert not charts(alone)


@reverse
def test_a_model_of_the_same_sizes_and_another_vocabulary_gets_one_sentence(tmp_path, monkeypatch):
    respelt = tmp_path / "respelt"
    shutil.copytree(resolve("reverse"), respelt, ignore=shutil.ignore_patterns("history*", "examples"))
    target = (respelt / "tgt.json").read_text(encoding="utf-8")
    (respelt / "tgt.json").write_text(target.replace('"q"', '"ß"'), encoding="utf-8")
    monkeypatch.setenv(MODELS, str(tmp_path))
    models.forget()
    try:
        at = opened("patching", **TOY, donor="model")
        assert at.session_state["against"] == "respelt"
        assert "from respelt into reverse: their target vocabularies differ" in words(at)
        assert text("zh", "error.OtherShapeError") in words(choose(at, lang="zh"))
        assert not charts(at)
    finally:
        models.forget()
