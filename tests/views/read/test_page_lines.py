from __future__ import annotations

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import choose, prepared, words
from viz.charts.lines import bertviz_code
from viz.charts.lines.bertviz_code import BertVizError
from viz.core import models


@pytest.fixture
def at() -> AppTest:
    return prepared("one_head", lines="head")


def given(at: AppTest) -> dict:
    assert not at.exception
    page = at.get("iframe")[0].proto.srcdoc
    found = re.search(r'id="given">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_it_opens_on_the_chosen_layer_and_head_with_a_sentence_and_an_alternative(at: AppTest) -> None:
    choose(at, text="I love you.", kind="encoder_self", layer=1, head=3)
    data = given(at)
    assert (data["view"], data["layer"], data["shown"]) == ("head", 1, [3])
    assert data["rows"] == data["columns"] == ["I", "love", "you", ".", "<eos>"]
    assert "L1 H3, strongest lines:" in words(at)
    assert at.get("iframe")[0].proto.alt in words(at)


@pytest.mark.parametrize("kind", ["encoder_self", "decoder_self", "cross"])
def test_the_model_view_draws_every_layer_and_head_of_each_kind(at: AppTest, kind: str) -> None:
    choose(at, text="I love you.", kind=kind, lines="model", layer=0, head=0)
    data = given(at)
    sizes = models.entry_of(models.DEFAULT_MODEL).config
    layers = sizes["n_encoder_layers" if kind == "encoder_self" else "n_decoder_layers"]
    assert data["view"] == "model"
    assert data["shape"] == [layers, sizes["n_heads"], len(data["rows"]), len(data["columns"])]


def test_words_are_merged_and_special_tokens_hidden_when_asked(at: AppTest) -> None:
    choose(at, text="Priya moved to Ljubljana.", kind="encoder_self")
    assert "Ljubljana" not in given(at)["rows"]
    choose(at, words=True, special=True)
    assert given(at)["rows"] == ["Priya", "moved", "to", "Ljubljana", "."]


def test_an_unchanged_state_sends_an_unchanged_document(at: AppTest) -> None:
    first = choose(at, text="I love you.", head=4).get("iframe")[0].proto.srcdoc
    assert at.run().get("iframe")[0].proto.srcdoc == first
    assert choose(at, head=5).get("iframe")[0].proto.srcdoc != first


def test_without_bertviz_there_is_one_sentence_and_no_blank_frame(at: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise BertVizError("BertViz is not installed")

    monkeypatch.setattr(bertviz_code, "_distribution", missing)
    choose(at, text="I love you.")
    assert not at.get("iframe")
    assert "BertViz cannot draw here (BertViz is not installed)." in words(at)
