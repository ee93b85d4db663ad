"""The page of two sentences, through Streamlit's AppTest: no browser."""

from __future__ import annotations

import json

import numpy as np
import pytest

from model.analysis.heads.changed import changed_heads
from tests.pages import HOSTILE, array, charts, choose, markup, opened, reverse, sent, shipped, words

pytestmark = shipped
ONE, OTHER = "I love you.", "You love me."


def heats(at):
    return [trace for trace in charts(at)[0]["data"] if trace["type"] == "heatmap"]


def test_the_first_suggestion_stands_beside_the_sentence_and_both_maps_are_the_models(en_zh):
    at = opened("compare", text=ONE, kind="cross", layer=3, head=2)
    for heat, text in zip(heats(at), (ONE, OTHER), strict=True):
        expected = en_zh.translate(text, capture=True).trace.map("cross", 3, 2)
        np.testing.assert_allclose(array(heat["z"]).reshape(expected.shape), expected, atol=1e-5)
    assert en_zh.translate(OTHER).text in "".join(words(at).split())
    assert "other" not in at.query_params


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


@pytest.mark.parametrize("choices", [{"drawn": "norms", "words": True}, {"kind": "encoder_self", "special": True}])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_other_readings_of_the_maps_and_both_languages(choices, language):
    at = opened("compare", text=ONE, other="I do not love you at all.", lang=language, **choices)
    assert len(heats(at)) == 2


@reverse
def test_letters_change_places():
    at = opened("compare", checkpoint="reverse", text="headlight")
    assert at.text_input(key="other").placeholder == "teadlighh"
    assert charts(at)
