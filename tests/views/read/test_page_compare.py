"""The page of two sentences, through Streamlit's AppTest: no browser."""

from __future__ import annotations

import html
import json

import numpy as np
import pytest

from model.analysis.heads.over_time import changed_heads
from tests.pages import HOSTILE, array, charts, choose, markup, opened, reverse, sent, shipped, words

pytestmark = shipped
ONE, OTHER = "I love you.", "You love me."


def heats(at):
    return [trace for trace in charts(at)[0]["data"] if trace["type"] == "heatmap"]


def differences(at):
    """The map of differences, and what its columns and rows are called."""
    [heat, *_] = charts(at)[1]["data"]
    layout = charts(at)[1]["layout"]
    names = [[html.unescape(name) for name in layout[axis]["ticktext"]] for axis in ("xaxis", "yaxis")]
    return array(heat["z"]).reshape(len(names[1]), len(names[0])), names, (heat["zmin"], heat["zmax"])


def test_the_first_suggestion_stands_beside_the_sentence_and_both_maps_are_the_models(en_zh):
    at = opened("compare", text=ONE, kind="cross", layer=3, head=2)
    for heat, text in zip(heats(at), (ONE, OTHER), strict=True):
        expected = en_zh.translate(text, capture=True).trace.map("cross", 3, 2)
        np.testing.assert_allclose(array(heat["z"]).reshape(expected.shape), expected, atol=1e-5)
    assert en_zh.translate(OTHER).text in "".join(words(at).split())
    assert "other" not in at.query_params


def test_the_difference_is_that_of_the_words_that_both_sentences_have(en_zh):
    at = opened("compare", text=ONE, other="I really love you.", kind="encoder_self", layer=2, head=1)
    values, names, scale = differences(at)
    one, other = (en_zh.translate(text, capture=True).trace for text in (ONE, "I really love you."))
    here = {label.text: place for place, label in enumerate(one.src)}
    there = {label.text: place for place, label in enumerate(other.src)}
    assert names == [list(here), list(here)]
    assert "really" in there
    for row, column in np.ndindex(values.shape):
        r, c = names[1][row], names[0][column]
        mine, theirs = (trace.map("encoder_self", 2, 1) for trace in (one, other))
        assert values[row, column] == pytest.approx(theirs[there[r], there[c]] - mine[here[r], here[c]], abs=1e-6)
    assert np.abs(values).max() > 0.01
    assert scale == (-1, 1)
    assert "Columns left out of the second: really." in words(at)
    assert "left out of the first" not in words(at)


def test_a_sentence_less_itself_is_nothing_and_an_exchanged_word_has_both_names():
    values, _, _ = differences(opened("compare", text=ONE, other=ONE))
    assert not values.any()
    _, names, _ = differences(opened("compare", text=ONE, other="I hate you.", kind="encoder_self"))
    assert "love/hate" in names[0]


def test_the_ranking_is_that_of_the_measure_and_a_click_shows_the_head(en_zh):
    at = opened("compare", text=ONE, other="I hate you.")
    scores = changed_heads(*(en_zh.translate(text, capture=True).trace for text in (ONE, "I hate you.")))
    every = sorted((value for kind in scores for value in scores[kind].ravel()), reverse=True)
    listed = sent(at)["heads"]
    assert [each["value"] for each in listed] == pytest.approx(every[:10], abs=1e-3)
    first = listed[0]
    assert scores[first["kind"]][first["layer"], first["head"]] == pytest.approx(every[0])


def test_the_link_holds_the_second_sentence_and_markup_in_it_stays_text():
    at = opened("compare", text=ONE, other=HOSTILE)
    assert at.query_params["other"] == [HOSTILE] or at.query_params["other"] == HOSTILE
    assert "<img" not in markup(at)
    assert "<img" not in json.dumps(charts(at))


def test_a_second_sentence_that_cannot_be_read_gets_one_sentence():
    at = opened("compare", text=ONE, other="我爱你，你也爱我。")
    assert markup(at).count('role="alert"') == 1
    assert not charts(at)
    assert not markup(choose(at, other="")).count('role="alert"')


@pytest.mark.parametrize("choices", [{"method": "norms", "words": True}, {"kind": "encoder_self", "special": True}])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_other_readings_of_the_maps_and_both_languages(choices, language):
    at = opened("compare", text=ONE, other="I do not love you at all.", lang=language, **choices)
    assert len(heats(at)) == 2


@reverse
def test_letters_change_places():
    at = opened("compare", checkpoint="reverse", text="headlight")
    assert at.text_input(key="other").placeholder == "teadlighh"
    assert charts(at)
