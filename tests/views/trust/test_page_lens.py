"""The logit lens page, through Streamlit's AppTest: what is sent is the analysis."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.analysis.residual.lens import lens, promoted
from tests.pages import HOSTILE, array, charts, markup, opened, reverse, sent, shipped, words
from viz.views.lens.page import lens_payload


def bars(at: AppTest) -> np.ndarray:
    return array(charts(at)[0]["data"][0]["y"])


@pytest.fixture(scope="module")
def found(en_zh, translation):
    return lens(en_zh, translation)


@shipped
def test_the_grid_is_sent_the_lens(en_zh, translation, found):
    data = sent(opened("lens", 4))
    assert data["step"] == 4
    for step, shown in enumerate(data["steps"]):
        assert shown["ranks"] == found.ranks[:, step].tolist()
        np.testing.assert_allclose(shown["probabilities"], found.probabilities[:, step], atol=2e-4)
    np.testing.assert_allclose(
        [shown["written"][-1] for shown in data["steps"]], np.exp(translation.log_probs), atol=1e-3
    )
    for level, tokens in enumerate(found.tokens[:, 3]):
        shown = [data["tokens"][place] for place in data["steps"][3]["candidates"][level]]
        assert shown == [en_zh.tgt_tokenizer.piece(token).replace("▁", " ").strip() or "␣" for token in tokens]


@shipped
@pytest.mark.parametrize("kind", ["cross", "decoder_self"])
def test_bars_are_what_the_frames_head_promotes(en_zh, found, kind):
    moved = promoted(en_zh, found, kind, 1, 2, 2)
    expected = [change for _, change in (*moved.raised, *moved.lowered[::-1])]
    at = opened("lens", 3, kind=kind, layer=1, head=2)
    np.testing.assert_allclose(bars(at), expected, atol=1e-5)
    at.segmented_control(key="head").set_value(5).run()
    assert np.abs(bars(at) - expected).max() > 1e-4
    assert "L1 H5" in words(at)


@shipped
def test_an_encoder_head_has_no_direct_vote():
    at = opened("lens", kind="encoder_self")
    assert not at.get("plotly_chart")
    assert "no direct vote" in words(at)


@shipped
@pytest.mark.parametrize("sentence", ["Hello", "word " * 60, HOSTILE])
def test_any_sentence(sentence):
    at = opened("lens", 999, text=sentence)
    data = sent(at)
    assert len(data["steps"]) == len(data["writes"]) == len(data["reads"]) == len(data["settles"])
    assert 1 <= data["step"] <= len(data["steps"])
    assert "<img" not in markup(at)


@shipped
def test_an_empty_sentence_is_an_error_and_chinese_is_chinese():
    assert "hl-error" in markup(opened("lens", text=" "))
    at = opened("lens", 3, lang="zh")
    assert sent(at)["labels"]["writes"] == "写出"
    assert "推高" in words(at)


@reverse
def test_reverse_opens_too():
    data = sent(opened("lens", 2, checkpoint="reverse", text="headlight", kind="cross", layer=1, head=0))
    assert "".join(data["writes"][:-1]) == "headlight"[::-1]
    assert all(shown["ranks"][-1] == 1 for shown in data["steps"])
    assert len(data["steps"][0]["ranks"]) == 3


def test_labels_must_fit_the_lens(translator):
    translation = translator.trace("I love you.", "我爱你。")
    trace, found = translation.trace, lens(translator, translation, 3)
    with pytest.raises(ValueError, match="the lens has 5 steps"):
        lens_payload(found, str, trace.tgt_inputs * 2, trace.tgt_outputs * 2)
    shown = lens_payload(found, str, trace.tgt_inputs[:2], trace.tgt_outputs[:2])
    assert len(shown["steps"]) == 2
    assert set(shown["tokens"]) == {str(token) for token in found.tokens[:, :2].flatten()}
