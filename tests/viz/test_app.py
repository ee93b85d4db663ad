"""The whole script, page by page, through Streamlit's AppTest: no browser."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from model.attribution.export import maps_csv, trace_npz
from model.attribution.labelled_map import read
from model.errors import MAX_CHARACTERS
from model.trace import KINDS
from tests.pages import go_to, markup, prepared, reverse, shipped, words
from viz.app import pickers
from viz.core.text import LANGUAGES, text
from viz.core.views import VIEWS

PAGES = sorted(VIEWS)
HOSTILE = ("</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "$x$ :red[y] **z**", "你好", "😀 Łódź")

pytestmark = shipped


@pytest.fixture
def app():
    return prepared()


def type_sentence(app: AppTest, sentence: str) -> None:
    app.text_input(key="text").set_value(sentence)
    next(button for button in app.button if button.label == "Translate").click().run()


def test_it_opens_on_a_finished_example(app):
    app.run()
    assert not app.exception
    assert app.text_input(key="text").value == "The animal didn't cross the street because it was too tired."
    assert "hl-translation" in markup(app)


@pytest.fixture(scope="module", params=LANGUAGES)
def visitor(request):
    """Somebody who goes from page to page."""
    return prepared(lang=request.param).run()


@pytest.mark.parametrize("page", PAGES)
def test_every_page_runs_in_both_languages(visitor, page):
    go_to(visitor, page).run()
    assert not visitor.exception


@pytest.mark.parametrize("sentence", HOSTILE)
def test_hostile_text_is_shown_escaped_and_stays_in_the_box(app, sentence):
    app.run()
    type_sentence(app, sentence)
    assert not app.exception
    assert app.text_input(key="text").value == sentence
    assert "<script>" not in markup(app)
    assert "<img" not in markup(app)


@pytest.mark.parametrize("sentence", ["", "   ", "word " * 5000, "我爱你。", "Привет, Tom"])
def test_bad_input_gets_one_sentence_and_loses_nothing(app, sentence):
    app.run()
    type_sentence(app, sentence)
    assert not app.exception
    assert app.text_input(key="text").value == sentence
    alerts = [e.proto.body for e in app.get("html") if 'role="alert"' in e.proto.body]
    assert len(alerts) == 1
    assert (f"{MAX_CHARACTERS:,}" in alerts[0]) == (len(sentence) > MAX_CHARACTERS)
    assert ("reads English" in alerts[0]) == ("我" in sentence or "П" in sentence)
    assert len(app.get("button_group")[-1].options) > 5, "the examples are still there to click"


@reverse
def test_checkpoint_change_opens_its_own_example(app):
    app.run()
    app.selectbox(key="checkpoint").select("reverse").run()
    assert not app.exception
    assert app.text_input(key="text").value == "headlight"
    assert "thgildaeh" in markup(app)


def test_exports_hold_the_numbers_shown(en_zh):
    translation = en_zh.translate("I love you.", capture=True)
    reading = read(translation.trace.map("cross", 0, 0), *translation.trace.axis_labels("cross"))
    title, *rows = csv.reader(io.StringIO(maps_csv([("L0 H0", reading)])))
    assert title == ["L0 H0"]
    assert rows[0][1:] == ["I", "love", "you", ".", "<eos>"]
    assert [float(cell) for cell in rows[1][1:]] == pytest.approx(reading.weights[0].tolist(), rel=1e-4)
    with np.load(io.BytesIO(trace_npz(translation)), allow_pickle=False) as stored:
        for kind in KINDS:
            np.testing.assert_array_equal(stored[kind], translation.trace.weights[kind])
        assert stored["src_tokens"].tolist() == rows[0][1:]
        assert stored["tgt_outputs"].tolist() == [label.text for label in translation.trace.tgt_outputs]
        assert stored["log_probs"] == pytest.approx(translation.log_probs, abs=1e-6)
        assert str(stored["translation"]) == translation.text


def test_texts_have_the_same_keys_and_places():
    english, chinese = LANGUAGES["en"], LANGUAGES["zh"]
    assert english.keys() == chinese.keys()
    assert text("xx", "page.heads") == english["page.heads"]
    with pytest.raises(KeyError):
        text("en", "no.such.key")


def test_a_link_with_nothing_but_language_and_checkpoint_is_honoured_at_once(app):
    app.query_params["lang"] = "zh"
    app.query_params["checkpoint"] = "reverse"
    app.run()
    assert not app.exception
    assert app.text_input(key="text").value == "headlight"
    assert app.session_state["lang"] == "zh"
    assert "thgildaeh" in markup(app)


def test_nonsense_in_a_link_falls_back_to_the_defaults(app):
    for key, value in {"lang": "xx", "checkpoint": "../../etc", "layer": "99", "head": "-1", "kind": "<b>"}.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    assert app.selectbox(key="checkpoint").value == "en-zh"


@reverse
def test_a_link_to_a_model_that_is_not_here_says_so_until_another_is_chosen(app):
    app.query_params["checkpoint"] = "<b>mine</b>"
    app.run()
    said = text("en", "app.no_such_model", linked="<b>mine</b>", checkpoint="en-zh")
    assert said in words(app)
    assert "<b>mine" not in markup(app)
    for name in ("reverse", "en-zh"):
        app.selectbox(key="checkpoint").set_value(name).run()
        assert said not in words(app)


def test_a_link_to_a_model_that_is_here_says_nothing_of_others(app):
    app.query_params["checkpoint"] = "en-zh"
    app.run()
    assert "that is not here" not in words(app)


def test_every_view_says_which_pickers_it_uses_and_none_says_it_in_vain() -> None:
    assert {name for spec in VIEWS.values() for name in spec.pickers} == set(pickers.PICKERS)


def test_pinyin_stands_over_the_translation_where_the_visitor_wants_it(app):
    app.query_params["text"] = "I love you."
    app.run()
    assert "<ruby>" not in markup(app)
    app.toggle(key="pinyin").set_value(True).run()
    assert not app.exception
    assert "<ruby>爱<rt>ài</rt></ruby>" in markup(app)


@pytest.mark.parametrize(("locale", "link", "spoken"), [("zh-CN", "", "zh"), ("de", "", "en"), ("zh-CN", "en", "en")])
def test_the_interface_speaks_the_browsers_language_unless_the_link_says_another(
    monkeypatch, locale, link, spoken
) -> None:
    monkeypatch.setattr(type(st.context), "locale", property(lambda _: locale))
    at = prepared()
    if link:
        at.query_params["lang"] = link
    at.run()
    assert not at.exception
    assert at.text_input(key="text").label == LANGUAGES[spoken]["app.sentence"]
