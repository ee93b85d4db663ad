from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.analysis.heads.ablation import ablate
from model.analysis.heads.roles import profile
from model.analysis.heads.table import HeadTable, load_head_table
from model.attribution.labelled_map import LabelledMap
from model.folders import resolve
from model.trace import KINDS, HeadRef
from tests.pages import SENTENCE, charts, choose, components, markup, opened, prepared, reverse, sent, shipped
from viz.core.answers import heads
from viz.views.heads.page import nearest
from viz.web.message import unpack_coarse
from viz.widgets import head_facts
from viz.widgets.head_board import Board, Listed, board_payload, list_payload
from viz.widgets.head_facts import HeadFacts
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


ROW = {"se": 0.01, "alone": 0.02, "cost": 0.05}


def test_the_nearest_head_of_each_role_stands_beside_the_others_of_its_kind():
    shares = np.array([[0.1, 0.5], [0.3, 0.2]])
    none = np.full((2, 2), np.nan)
    measures = {"previous": none, "next": none, "offset": shares, "rare": 1 - shares, "sink": shares.T}
    facts = HeadFacts({}, {"cross": measures}, {"cross": np.array([[0, -2], [0, 0]])}, {})
    found = {(row[1].split("L")[1], round(row[2], 3)): row for row in nearest(facts)}
    assert {key: (round(row[3], 3), row[4]) for key, row in found.items()} == {
        ("0\xa0H1", 0.5): (0.2, 0.9),
        ("0\xa0H0", 0.9): (pytest.approx(2 / 3, abs=1e-3), 0.66),
        ("1\xa0H0", 0.5): (0.2, 0.66),
    }


@pytest.mark.parametrize(("head", "said"), [(0, "one row late"), (1, "that it writes"), (2, "No fixed habit")])
def test_a_head_that_aligns_words_is_called_so_with_the_row_by_which_it_does(head, said):
    nothing = {name: np.zeros((1, 3)) for name in ("previous", "next", "offset", "sink", "rare")}
    errors = {"written": np.array([[80.0, 34.0, 35.0]]), "read": np.array([[6.6, 36.0, 99.0]])}
    facts = HeadFacts({}, {"cross": nothing}, {"cross": np.zeros((1, 3), int)}, {"cross": [[""] * 3]}, errors=errors)
    assert said in facts.habit(HeadRef("cross", 0, head))


@shipped
def test_a_table_tells_its_errors_and_what_muting_together_costs(monkeypatch):
    table, about = head_facts.corpus_table("en-zh")
    both = ["c0.1", "c2.5"]
    sets = [{**ROW, "which": which, "heads": both[:n]} for which in ("most", "least", "greedy") for n in (1, 2)]
    facts = {**table.facts, "together": {"sentences": 7, "tokens": 70, "sets": sets}}
    errors = {kind: np.full_like(values, 0.004) for kind, values in table.importance.items()}
    made = HeadTable(facts, table.importance, table.measures, table.offset_at, table.roles, table.patterns, errors)
    monkeypatch.setattr(head_facts, "corpus_table", lambda _: (made, about))
    at = opened("heads", scope="corpus")
    unsure = sum(int((np.abs(each) < 0.008).sum()) for each in table.importance.values())
    assert f"{unsure} of 144 heads" in markup(at)
    (figure,) = charts(at)
    assert figure["data"][0]["y"] == [0.05, 0.05]
    assert figure["data"][0]["error_y"]["array"] == [0.02, 0.02]
    monkeypatch.setattr(head_facts, "corpus_table", lambda _: (None, "none"))
    assert not charts(opened("heads", scope="corpus"))
