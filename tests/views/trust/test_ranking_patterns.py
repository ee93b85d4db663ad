from __future__ import annotations

import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.analysis.heads.patterns import GRID, PATTERNS, alike, match_named, match_painted
from model.analysis.heads.table import load_head_table
from model.attribution.labelled_map import read
from model.examples import load_example
from model.folders import resolve
from model.trace import KINDS
from tests.pages import SENTENCE, choose, components, markup, prepared, reverse, shipped
from viz.core.codes.mix import parse_pattern, pattern_code
from viz.core.models import entry_of
from viz.core.text import ENGLISH as STRINGS
from viz.views.heads.page import BY_PATTERN

ANTI = pattern_code(np.eye(GRID)[::-1])


@pytest.mark.parametrize("seed", range(5))
def test_a_pattern_survives_the_link(seed):
    painted = (np.random.default_rng(seed).random((GRID, GRID)) > 0.6).astype(float)
    np.testing.assert_array_equal(parse_pattern(pattern_code(painted)), painted)
    assert pattern_code(np.zeros((GRID, GRID))) == ""
    assert ANTI == "0102040810204080"


@pytest.mark.parametrize(
    "code", ["", None, 7, "xyz", "8040201008040201\n", "8040201008040201ff", "８040201008040201", "-1"]
)
def test_a_bad_code_paints_nothing(code):
    assert not parse_pattern(code).any()


@pytest.fixture
def at() -> AppTest:
    return prepared("heads", text=SENTENCE, shift="written")


def assert_agrees(listed: list[dict], scores: dict[str, np.ndarray], most: int) -> None:
    """The list holds the highest scores, in order."""
    places = [(kind, *place) for kind in scores for place in np.ndindex(*scores[kind].shape)]
    best = sorted((float(scores[place[0]][place[1:]]) for place in places), reverse=True)[:most]
    assert [each["value"] for each in listed] == pytest.approx([value for value in best if value >= 0.005], abs=1e-3)
    for each in listed:
        assert each["value"] == pytest.approx(float(scores[each["kind"]][each["layer"], each["head"]]), abs=1e-3)


def named(trace, name: str, words: bool = False, hide: bool = False) -> dict[str, np.ndarray]:
    found = {}
    for kind in KINDS:
        rows, columns = trace.axis_labels(kind)
        reading = read(trace.weights[kind], trace.tgt_outputs if kind == "cross" else rows, columns, words, hide)
        found[kind] = match_named(reading.weights, name, kind, reading.rows, reading.columns)
    return found


@shipped
@pytest.mark.parametrize("pattern", [each for each in PATTERNS if each in BY_PATTERN])
def test_heads_are_ranked_by_a_named_pattern(at, trace, pattern):
    at.session_state["by"] = pattern
    _, matches, *_ = components(at.run())
    assert_agrees(matches["heads"], named(trace, pattern), 10)


@shipped
@pytest.mark.parametrize("scope", ["sentence", "corpus"])
def test_the_heads_that_align_words_best_are_ranked_by_their_error_on_people_s_links(at, scope):
    table, _ = entry_of("en-zh").alignment
    rates = table["aer"]["argmax"]["weights"]
    best = 1 - np.minimum(*(np.array(rates[shift]["layers"])[:, :8] for shift in ("written", "read"))) / 100
    at.session_state["by"], at.session_state["scope"] = "aligned", scope
    matches, *_ = components(at.run())
    assert_agrees(matches["heads"], {"cross": best}, 10)
    assert f"On the {table['sentences']} pairs" in markup(at)


@reverse
def test_a_model_whose_alignment_was_never_measured_has_no_aligners(monkeypatch):
    monkeypatch.setattr(entry_of("reverse"), "alignment", (None, "missing"))
    at = choose(prepared("heads", checkpoint="reverse", text="abc", by="aligned"))
    matches, *_ = components(at)
    assert matches["heads"] == []
    assert STRINGS["find.aligned.missing"] in markup(at)


@shipped
def test_words_and_hidden_special_tokens_are_compared_as_shown(at, trace):
    for key, value in (("by", "first"), ("words", True), ("special", True)):
        at.session_state[key] = value
    _, matches, *_ = components(at.run())
    assert_agrees(matches["heads"], named(trace, "first", words=True, hide=True), 10)
    assert "<eos>" not in matches["axes"]["cross"]["columns"]


@shipped
def test_heads_are_ranked_by_what_is_painted(at, trace):
    at.session_state["by"], at.session_state["paint"] = "painted", ANTI
    grid, matches, *_ = components(at.run())
    painted = np.eye(GRID)[::-1]
    np.testing.assert_array_equal(np.reshape(grid["values"], (GRID, GRID)), painted)
    scores = {}
    for kind in KINDS:
        rows, columns = trace.axis_labels(kind)
        rows = trace.tgt_outputs if kind == "cross" else rows
        scores[kind] = match_painted(trace.weights[kind], painted, kind, rows, columns)
    assert_agrees(matches["heads"], scores, 10)


@shipped
def test_nothing_painted_nothing_found(at):
    at.session_state["by"], at.session_state["paint"] = "painted", "rubbish"
    _, matches, *_, similar = components(at.run())
    assert matches["heads"] == []
    assert len(similar["heads"]) == 5


@shipped
def test_a_named_pattern_over_the_corpus_comes_from_the_table(at):
    table = load_head_table(resolve("en-zh"))
    if table is None or table.facts["sha256"] != json.loads((resolve("en-zh") / "meta.json").read_text())["sha256"]:
        pytest.skip("no table of these weights is shipped")
    at.session_state["by"], at.session_state["scope"] = "first", "corpus"
    _, matches, *_ = components(at.run())
    assert_agrees(matches["heads"], {kind: table.patterns[kind]["first"] for kind in KINDS}, 10)


@reverse
def test_over_the_corpus_paint_and_likeness_go_through_the_stored_examples(at):
    at.session_state["checkpoint"], at.session_state["text"] = "reverse", "abc"
    at.session_state["by"], at.session_state["paint"], at.session_state["scope"] = "painted", ANTI, "corpus"
    _, matches, *_, similar = components(at.run())
    folder, sha = resolve("reverse"), json.loads((resolve("reverse") / "meta.json").read_text())["sha256"]
    traces = [load_example(folder, text, sha).trace for text in entry_of("reverse").examples]
    assert [each["kind"] for each in matches["heads"][:8]] == ["cross"] * 8
    chosen = at.session_state["kind"], int(at.session_state["layer"]), int(at.session_state["head"])
    maps = [each.weights[chosen[0]] for each in traces]
    expected = np.mean([alike(each, each[chosen[1:]]) for each in maps], axis=0)
    for each in similar["heads"]:
        assert each["kind"] == chosen[0]
        assert (each["layer"], each["head"]) != chosen[1:]
        assert each["value"] == pytest.approx(float(expected[each["layer"], each["head"]]), abs=1e-3)


@shipped
@pytest.mark.parametrize(
    "sentence", ["Hello", "word " * 60, "</script><script>alert(1)</script>", "$x$ :red[y] 你好 😀"]
)
def test_any_sentence_can_be_searched(at, sentence):
    at.session_state["text"], at.session_state["by"] = sentence, "diagonal"
    assert len(components(at.run())[1]["heads"]) > 0


@shipped
def test_no_sentence_nothing_to_search(at):
    assert components(choose(at, text="  ")) == []
