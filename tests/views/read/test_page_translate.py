"""Translate: the sentence can be saved as a page of its own; another translation is offered for a doubted one."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.attribution.methods import attribution_maps
from model.own.text.vocab import EOS_ID
from model.trace import HeadRef
from model.translator import Translator
from tests.pages import SENTENCE, choose, markup, opened, prepared, shipped, words
from viz.charts.lines import bertviz_code
from viz.charts.lines.bertviz_code import BertVizError
from viz.core import models
from viz.core.answers.maps import whole_map
from viz.core.selection import Selection
from viz.core.session import Subject
from viz.export.shown import labelled_maps
from viz.views.translate.panel import trusted
from viz.widgets import take_away

pytestmark = shipped


def test_the_sentence_can_be_saved_as_a_page() -> None:
    at = opened("translate")
    assert not at.exception
    assert [each.proto.label for each in at.get("download_button")] == ["Save as page"]
    assert [each.proto.label for each in opened("translate", lang="zh").get("download_button")] == ["存为网页"]


def asked_of(monkeypatch: pytest.MonkeyPatch, **choices: object) -> Selection:
    """What the page that Translate saves opens on."""
    asked: list[Selection] = []
    monkeypatch.setattr(take_away, "page_button", lambda _now, selection, _key: asked.append(selection))
    assert not opened("translate", **choices).exception
    return asked[-1]


def test_the_saved_page_opens_on_the_picture_with_the_chosen_token(
    monkeypatch: pytest.MonkeyPatch, en_zh: Translator
) -> None:
    asked = asked_of(monkeypatch, step=3)
    assert (asked.method, asked.together, asked.rows, len(asked.heads)) == (trusted("en-zh"), "mean", ("t2",), 48)
    made = en_zh.translate(SENTENCE, capture=True)
    maps = attribution_maps(en_zh, made, asked.method)
    (shown,) = labelled_maps(asked, maps, made.trace)
    whole = whole_map(Subject(SENTENCE, "en-zh"), asked.method)
    np.testing.assert_allclose(shown.weights, whole, atol=1e-5)


def test_of_a_chosen_head_the_saved_page_shows_that_head(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = asked_of(monkeypatch, step=4, layer=2, head=1)
    assert (asked.heads, asked.method, asked.together) == ((HeadRef("cross", 2, 1),), "weights", "side")
    assert asked.rows == ("t3",)
    several = asked_of(monkeypatch, combine="max", over=["L2", "L0 H1"])
    assert [head.code for head in several.heads] == ["c0.1", *(f"c2.{head}" for head in range(8))]
    assert several.together == "max"


def test_what_draws_the_first_picture_loads_no_pytorch() -> None:
    parts = ", ".join(f"viz.views.translate.{part}" for part in ("page", "panel", "token_links"))
    asked = f"import sys, {parts}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], capture_output=True, check=False).returncode == 0


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


def judged(at) -> list[str]:
    return re.findall(r'data-judged="(\w+)"', markup(at))


FIRE = "By the time the firefighters arrived, the neighbors had put out the fire themselves."


def test_in_place_of_a_doubted_translation_one_is_offered_that_both_directions_find_better(en_zh: Translator) -> None:
    at = opened("translate", text=FIRE)
    assert judged(at) == ["doubtful"]
    written, better = en_zh.translate(FIRE), en_zh.best_both_ways(FIRE)
    assert f'<b lang="zh">{better.text}</b>' in markup(at)
    assert en_zh.both_ways(better) > en_zh.both_ways(written)
    at.button(key="open_better").click().run()
    assert not at.exception
    assert at.session_state["hyp"].endswith("." + ".".join(map(str, (*better.tgt_ids, EOS_ID))))
    assert {"back_to_best", "open_better"} & {each.key for each in at.button} == {"back_to_best"}, "none is better"


def test_who_wants_it_read_back_sees_that_translation_at_once_in_every_view_and_may_go_back(en_zh: Translator) -> None:
    better = en_zh.best_both_ways(FIRE)
    at = opened("heads", text=FIRE, read_back=True)
    assert better.text in markup(at)
    assert judged(at) == ["good"]
    assert "You are looking at another translation than the model chose" in words(at)
    at.button(key="back_to_best").click().run()
    assert judged(at) == ["doubtful"]
    assert en_zh.translate(FIRE).text in markup(at)
    assert at.session_state["read_back"] is False
    several = markup(opened("translate", text=f"I love you. {FIRE}", read_back=True))
    assert f"</mark>{better.text}" in several
    sure = opened("translate", text="I love you.", read_back=True)
    assert "back_to_best" not in [each.key for each in sure.button], "it is what the model writes by itself"


@pytest.mark.parametrize(("view", "sentence"), [("translate", "I love you."), ("heads", FIRE)])
def test_nothing_is_offered_where_nothing_is_doubted_or_the_picture_is_below(view: str, sentence: str) -> None:
    assert "open_better" not in [each.key for each in opened(view, text=sentence).button]
