"""The logit lens page, through Streamlit's AppTest: what is sent is the analysis."""

from __future__ import annotations

import base64
import json
import re
from html import unescape

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.analysis.lens import lens, promoted
from model.folders import available
from model.translator import Translator
from viz.components.lens_grid import lens_payload

PAGE = "viz/pages/lens.py"
SENTENCE = "My sister bought a red bicycle yesterday."
HOSTILE = "<img src=x onerror=alert(1)> </script> $x$ :red[y]"
shipped = pytest.mark.skipif("en-zh" not in available(), reason="the shipped checkpoint is not there")


def opened(step: int | None = None, **state: object) -> AppTest:
    at = AppTest.from_file("../app.py", default_timeout=240).switch_page(PAGE)
    for name, value in {"text": SENTENCE, **state}.items():
        at.session_state[name] = value
    if step is not None:
        at.query_params["step"] = str(step)
    at.run()
    assert not at.exception
    return at


def sent(at: AppTest) -> dict:
    return json.loads(at.get("bidi_component")[0].proto.json)


def said(at: AppTest) -> str:
    return unescape(" ".join(re.sub(r"<[^>]*>", " ", element.proto.body) for element in at.get("html")))


def bars(at: AppTest) -> np.ndarray:
    y = json.loads(at.get("plotly_chart")[0].proto.spec)["data"][0]["y"]
    return np.frombuffer(base64.b64decode(y["bdata"]), y["dtype"])


@pytest.fixture(scope="module")
def made():
    translator = Translator.from_checkpoint("en-zh", "cpu")
    translation = translator.translate(SENTENCE, capture=True)
    return translator, translation, lens(translator, translation)


@shipped
def test_the_grid_is_sent_the_lens(made):
    translator, translation, found = made
    data = sent(opened(4))
    assert data["step"] == 4
    for step, shown in enumerate(data["steps"]):
        assert shown["ranks"] == found.ranks[:, step].tolist()
        np.testing.assert_allclose(shown["probabilities"], found.probabilities[:, step], atol=2e-4)
    np.testing.assert_allclose(
        [shown["written"][-1] for shown in data["steps"]], np.exp(translation.log_probs), atol=1e-3
    )
    for level, tokens in enumerate(found.tokens[:, 3]):
        shown = [data["tokens"][place] for place in data["steps"][3]["candidates"][level]]
        assert shown == [translator.tgt_tokenizer.piece(token).replace("▁", " ").strip() or "␣" for token in tokens]


@shipped
@pytest.mark.parametrize("kind", ["cross", "decoder_self"])
def test_bars_are_what_the_frames_head_promotes(made, kind):
    translator, _, found = made
    moved = promoted(translator, found, kind, 1, 2, 2)
    expected = [change for _, change in (*moved.raised, *moved.lowered[::-1])]
    at = opened(3, kind=kind, layer=1, head=2)
    np.testing.assert_allclose(bars(at), expected, atol=1e-5)
    at.segmented_control(key="head").set_value(5).run()
    assert np.abs(bars(at) - expected).max() > 1e-4
    assert "L1 H5" in said(at)


@shipped
def test_an_encoder_head_has_no_direct_vote():
    at = opened(kind="encoder_self")
    assert not at.get("plotly_chart")
    assert "no direct vote" in said(at)


@shipped
@pytest.mark.parametrize("sentence", ["Hello", "word " * 60, HOSTILE])
def test_any_sentence(sentence):
    at = opened(999, text=sentence)
    data = sent(at)
    assert len(data["steps"]) == len(data["writes"]) == len(data["reads"]) == len(data["settles"])
    assert 1 <= data["step"] <= len(data["steps"])
    assert not any("<img" in element.proto.body for element in at.get("html"))


@shipped
def test_an_empty_sentence_is_an_error_and_chinese_is_chinese():
    assert "hl-error" in " ".join(element.proto.body for element in opened(text=" ").get("html"))
    at = opened(3, lang="zh")
    assert sent(at)["labels"]["writes"] == "写出"
    assert "推高" in said(at)


@pytest.mark.skipif("reverse" not in available(), reason="the toy checkpoint is not there")
def test_reverse_opens_too():
    data = sent(opened(2, checkpoint="reverse", text="headlight", kind="cross", layer=1, head=0))
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
