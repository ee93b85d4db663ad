from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.analysis.heads.ablation import ablate
from model.analysis.heads.roles import profile
from model.analysis.heads.table import load_head_table
from model.attribution.labelled_map import LabelledMap
from model.folders import resolve
from model.trace import KINDS
from tests.pages import SENTENCE, choose, components, markup, prepared, reverse, sent, shipped
from viz.core.answers import heads
from viz.web.message import unpack_coarse
from viz.widgets.head_board import Board, Listed, board_payload, list_payload
from viz.widgets.places import opened_place


@pytest.fixture
def at() -> AppTest:
    return prepared("heads", text=SENTENCE)


def places_of(heads: list[dict]) -> list[tuple[str, int, int]]:
    return [(each["kind"], each["layer"], each["head"]) for each in heads]


def ranked(importance: dict) -> list[tuple[str, int, int]]:
    places = [(kind, *map(int, place)) for kind in KINDS for place in np.ndindex(*importance[kind].shape)]
    return sorted(places, key=lambda place: -importance[place[0]][place[1:]])


@shipped
def test_the_first_thing_is_the_ten_heads_that_matter(at, en_zh, translation):
    heads, board = components(at.run())[:2]
    importance = ablate(en_zh, translation).importance
    assert places_of(heads["heads"]) == ranked(importance)[:10]
    for each in heads["heads"]:
        place = each["layer"], each["head"]
        assert each["value"] == pytest.approx(float(importance[each["kind"]][place]), abs=1e-3)
        weights = translation.trace.weights[each["kind"]][place]
        np.testing.assert_allclose(unpack_coarse(each["map"]).reshape(weights.shape), weights, atol=1 / 255)
    for each in board["kinds"]:
        np.testing.assert_allclose(each["values"], importance[each["kind"]], atol=1e-3)
    assert board["signed"]


@shipped
@pytest.mark.parametrize("measure", ["entropy", "confidence", "previous", "rare"])
def test_the_board_shows_the_measure_that_is_chosen(at, trace, measure):
    at.session_state["by"] = measure
    board = components(at.run())[1]
    if measure == "rare":
        assert {value for row in board["kinds"][1]["values"] for value in row} == {None}
        return
    for each in board["kinds"]:
        expected = profile(trace, each["kind"]).measures[measure]
        np.testing.assert_allclose(np.array(each["values"], dtype=float), expected, atol=1e-3)
    assert not board["signed"]


@shipped
def test_the_table_holds_every_head_once(at, en_zh):
    sent(at.run())
    frame = at.dataframe[0].value
    config = en_zh.model.config
    assert len(frame) == config.n_heads * (config.n_encoder_layers + 2 * config.n_decoder_layers)
    assert frame.iloc[:, 0].is_unique
    assert frame["Importance (nats)"].is_monotonic_decreasing


@shipped
def test_the_corpus_comes_from_the_shipped_table(at):
    table = load_head_table(resolve("en-zh"))
    if table is None or table.facts["sha256"] != json.loads((resolve("en-zh") / "meta.json").read_text())["sha256"]:
        pytest.skip("no table of these weights is shipped")
    at.session_state["scope"] = "corpus"
    heads, board = components(at.run())[:2]
    assert places_of(heads["heads"]) == ranked(table.importance)[:10]
    assert f"{table.facts['sentences']:,} sentence pairs" in markup(at)
    for each in board["kinds"]:
        expected = table.importance[each["kind"]] * table.tokens_per_sentence
        np.testing.assert_allclose(each["values"], expected, atol=1e-3)


@shipped
@pytest.mark.parametrize("case", ["missing", "stale"])
def test_a_table_of_other_weights_is_left_aside(at, monkeypatch, case):
    table = load_head_table(resolve("en-zh"))
    stale = dataclasses.replace(table, facts={**table.facts, "sha256": "0" * 64}) if table and case == "stale" else None
    monkeypatch.setattr(heads, "head_table", lambda _name: stale)
    at.session_state["scope"] = "corpus"
    corpus = sent(at.run())
    assert ("other weights" if stale else "No corpus table") in at.info[0].value
    at.session_state["scope"] = "sentence"
    assert sent(at.run()) == corpus


@shipped
@pytest.mark.parametrize(
    "sentence", ["Hello", "word " * 60, "</script><script>alert(1)</script>", "$x$ :red[y] 你好 😀"]
)
@pytest.mark.parametrize("words", [False, True])
def test_any_sentence_has_its_heads(at, sentence, words):
    at.session_state["text"], at.session_state["words"] = sentence, words
    assert len(sent(at.run())["heads"]) == 10


@shipped
def test_no_sentence_no_heads(at):
    assert components(choose(at, text="  ")) == []


@reverse
def test_reverse_has_its_heads_in_chinese_too(at):
    at.session_state["checkpoint"], at.session_state["text"], at.session_state["lang"] = "reverse", "abc", "zh"
    heads, board = components(at.run())[:2]
    assert len(heads["heads"]) == 10
    assert [len(each["values"]) for each in board["kinds"]] == [2, 2, 2]
    assert at.selectbox(key="pick_by").label == "排序依据"


def test_messages_of_a_browser_are_checked():
    places = [("cross", 0, 1), ("encoder_self", 2, 0)]
    assert opened_place({"kind": "cross", "layer": 0, "head": 1}, places) == ("cross", 0, 1)
    for wrong in (None, "cross", {"kind": "cross", "layer": 0}, {"kind": "cross", "layer": 9, "head": 1}, {"kind": []}):
        assert opened_place(wrong, places) is None


def test_payloads_refuse_what_does_not_fit_and_leave_blanks(translator):
    trace = translator.translate("I love you.", capture=True).trace
    wrong = {"cross": LabelledMap(trace.cross, trace.src, trace.src[:1])}
    with pytest.raises(ValueError, match="cross weights"):
        list_payload([Listed(("cross", 0, 0), "t", 1.0, "s", 1.0)], wrong)
    values = {kind: np.full((1, 2), np.nan) for kind in KINDS}
    payload = board_payload(Board(values, dict.fromkeys(KINDS, "t"), str, str, 1.0))
    assert payload["kinds"][0]["values"] == [[None, None]]
    assert payload["kinds"][0]["texts"] == [["", ""]]


@shipped
def test_the_sentence_below_the_board_names_the_extremes(at, en_zh, translation):
    sent(at.run())
    importance = ablate(en_zh, translation).importance
    order = ranked(importance)
    names = {"encoder_self": "Encoder self", "decoder_self": "Decoder self", "cross": "Cross"}
    first, last = ("{} L{}\u00a0H{}".format(names[place[0]], *place[1:]) for place in (order[0], order[-1]))
    said = next(each.proto.body for each in at.get("html") if "Highest: " in each.proto.body)
    assert f"Highest: {first} (costs {float(importance[order[0][0]][order[0][1:]]):.2f} nats)" in said
    assert f"Lowest: {last} (" in said
