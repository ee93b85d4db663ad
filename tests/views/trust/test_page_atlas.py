"""The atlas: all heads as points, and the page of one."""

from __future__ import annotations

import copy
import json
import re
import shutil
import zipfile

import numpy as np
import pytest

from model.__main__ import main
from model.analysis.atlas.book import ATLAS, read_atlas, write_book
from model.analysis.residual.composition import Composition
from model.folders import CHECKPOINTS
from model.trace import HeadRef
from tests.pages import HOSTILE, SENTENCE, choose, components, prepared, shipped, words
from viz.core.answers import heads as answers
from viz.core.models import entry_of
from viz.core.text import text
from viz.core.theme import LIGHT
from viz.views.atlas.habits import error_of, habit, role_of, source_of
from viz.views.atlas.head_page import feeding_figure, head_html, small_map, token_lines
from viz.views.atlas.page import HeadPoint, scatter_figure
from viz.widgets.head_facts import alignment_errors, alignment_scores

HEAD = {"kind": "cross", "layer": 3, "head": 2}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, pairs):
    """The atlas of the shipped checkpoint over a dozen sentences."""
    path = tmp_path_factory.mktemp("atlas")
    (path / "some.tsv").write_text("".join(f"{en}\t{zh}\n" for en, zh in pairs), encoding="utf-8")
    assert main(["atlas", "--tsv", str(path / "some.tsv"), "--out", str(path)]) == 0
    return path


@pytest.fixture
def there(monkeypatch, folder):
    monkeypatch.setattr(answers, "resolve", lambda _: folder)


def figure_of(at) -> dict:
    chart = at.get("plotly_chart")[0]
    return json.loads(chart.proto.spec)


@shipped
def test_every_head_is_a_point_and_the_chosen_one_has_a_ring(there, folder):
    at = choose(prepared("atlas", text=SENTENCE, atlas_x="sink", atlas_y="previous", **HEAD))
    atlas = read_atlas(folder)
    *groups, ring = figure_of(at)["data"]
    codes = [code for group in groups for (code,) in group["customdata"]]
    assert sorted(codes) == sorted(head.code for head in atlas.heads)
    assert [group["name"] for group in groups] == ["Encoder self", "Decoder self", "Cross"]
    assert (ring["x"], ring["y"]) == (
        [atlas.value(HeadRef(**HEAD), "sink")],
        [atlas.value(HeadRef(**HEAD), "previous")],
    )
    best = atlas.heads[int(np.nanargmax(atlas.values("previous")))]
    assert f"Highest: {text('en', f'kind.{best.kind}')} L{best.layer}" in words(at).replace("\u00a0", " ")


@shipped
def test_the_page_of_a_head_has_its_sentences_and_this_one_beside_them(there, folder):
    at = choose(prepared("atlas", text=SENTENCE, **HEAD))
    page = read_atlas(folder).page(HeadRef(**HEAD))
    assert "On your sentence this head does something" in words(at) or "does what it usually does" in words(at)
    shown = [each for each in words(at).split("\n")]
    assert all(any(entry["src"] in line for line in shown) for entry in page["strongest"])
    buttons = [button for button in at.button if str(button.key).startswith("atlas_open_")]
    assert len(buttons) == len(page["strongest"]) > 3
    buttons[0].click()
    choose(at)
    assert at.session_state["text"] == page["strongest"][0]["src"]
    assert at.session_state["hyp"] != ""
    lists = [each for each in components(at) if "heads" in each]
    assert lists == []  # it is another view that is open now


@shipped
def test_neighbours_open_their_pages_and_the_sample_is_in_order(there, folder):
    at = choose(prepared("atlas", text=SENTENCE, atlas_show="sample", **HEAD))
    page = read_atlas(folder).page(HeadRef(**HEAD))
    fifths = [entry["fifth"] for entry in page["sample"]]
    assert fifths == sorted(fifths)
    assert page["sample"][0]["strength"] < page["sample"][-1]["strength"]
    near = next(each for each in components(at) if "heads" in each)
    codes = [HeadRef(each["kind"], each["layer"], each["head"]).code for each in near["heads"]]
    assert codes == [code for code, _ in page["neighbours"]]


@shipped
def test_without_an_atlas_of_these_weights_a_sentence_says_so(monkeypatch, folder, tmp_path):
    monkeypatch.setattr(answers, "resolve", lambda _: tmp_path)
    at = choose(prepared("atlas", text=SENTENCE))
    assert text("en", "atlas.missing", checkpoint="en-zh") in [each.value for each in at.info]
    assert at.get("plotly_chart") == []
    (tmp_path / ATLAS).write_bytes(b"no zip")
    assert text("zh", "atlas.damaged", checkpoint="en-zh") in [each.value for each in choose(at, lang="zh").info]
    shutil.copy(folder / ATLAS, tmp_path / ATLAS)
    assert not choose(at, lang="en").info
    with zipfile.ZipFile(folder / ATLAS) as book:
        index = json.loads(book.read("index.json"))
    write_book(tmp_path / ATLAS, index | {"facts": index["facts"] | {"sha256": "0"}}, {})
    assert text("en", "atlas.stale", checkpoint="en-zh") in [each.value for each in choose(at).info]


@shipped
def test_the_three_lowest_alignment_errors_are_the_aligners_of_the_ranking(there):
    at = choose(prepared("atlas", text=SENTENCE, atlas_y="aer", **HEAD))
    table, _ = entry_of("en-zh").alignment
    (scores,) = alignment_scores(entry_of("en-zh")).values()
    best = [np.unravel_index(place, scores.shape) for place in np.argsort(-scores, axis=None)[:3]]
    low = [f"Cross L{layer} H{head} ({100 * (1 - scores[layer, head]):.1f} %)" for layer, head in best]
    said = words(at).replace("\u00a0", " ")
    shown = said.partition("Lowest: ")[2].partition(" %).")[0] + " %)"
    assert sorted(shown.split(", ")) == sorted(low), "two may have the same error, in either order"
    assert f"Measured on {table['sentences']} known pairs with {table['sure_links']} sure links" in said
    drawn = [code for group in figure_of(at)["data"] for (code,) in group.get("customdata", [])]
    assert len(drawn) == scores.size, "cross heads alone have one"
    assert {code[0] for code in drawn} == {"c"}


@shipped
def test_without_a_table_of_alignment_its_error_is_not_offered(there, monkeypatch):
    monkeypatch.setattr(entry_of("en-zh"), "alignment", (None, "missing"))
    at = choose(prepared("atlas", text=SENTENCE, atlas_y="aer", **HEAD))
    measures = [each.options for each in at.selectbox if "Distance" in each.options]
    assert len(measures) == 2
    assert not any("Alignment error" in each for each in measures)
    assert "Alignment error" not in words(at)


@shipped
def test_the_cost_of_muting_says_where_it_is_from_and_has_its_error(monkeypatch, folder, tmp_path):
    for file in (folder / ATLAS, CHECKPOINTS / "en-zh/heads.json"):
        shutil.copy(file, tmp_path)
    monkeypatch.setattr(answers, "resolve", lambda _: tmp_path)
    at = choose(prepared("atlas", text=SENTENCE, atlas_y="cost", **HEAD))
    table = answers.head_table("en-zh")
    cost, error = table.importance["cross"][3, 2], table.errors["cross"][3, 2]
    assert f"Cost of muting {cost:.4f} nats a token (standard error {error:.4f})" in words(at)
    assert f"From heads.json, not from the atlas. Over {table.facts['sentences']:,} sentence pairs" in words(at)
    atlas = read_atlas(folder)
    for own in atlas.kinds.values():
        own["measures"]["cost"] = [0.5] * (own["layers"] * own["heads"])
        own["errors"]["cost"] = [0.25] * (own["layers"] * own["heads"])
    atlas.facts["muted"] = 7
    assert error_of(atlas, "en-zh", HeadRef(**HEAD), "cost") == 0.25
    assert source_of(atlas, "en-zh", "cost") == text("en", "atlas.source.cost", lines=7, file="some.tsv")


@shipped
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_cross_head_that_aligns_words_says_so_and_another_does_not(there, folder, monkeypatch, language):
    table, atlas = copy.deepcopy(entry_of("en-zh").alignment[0]), read_atlas(folder)
    for rows in table["aer"][table["best_head"]["links"]]["weights"].values():
        rows["layers"] = [[90.0] * 9 for _ in range(6)]
    found = table["aer"][table["best_head"]["links"]]["weights"]["written"]["layers"]
    found[3][2] = 31.6
    monkeypatch.setattr(entry_of("en-zh"), "alignment", (table, ""))
    said = text(language, "heads.aligns.written", error="32")
    assert said in words(choose(prepared("atlas", text=SENTENCE, lang=language, **HEAD)))
    assert said not in words(choose(prepared("atlas", text=SENTENCE, lang=language, **HEAD | {"kind": "encoder_self"})))
    found[3][2] = 35.0  # as much as no aligner has
    errors = alignment_errors(entry_of("en-zh"))
    assert habit(atlas, HeadRef(**HEAD), errors) == habit(atlas, HeadRef(**HEAD), {})
    monkeypatch.setattr(entry_of("en-zh"), "alignment", (None, "missing"))
    assert said not in words(choose(prepared("atlas", text=SENTENCE, lang=language, **HEAD)))


def test_a_head_without_a_habit_is_an_aligner_among_the_roles_where_its_error_is_low(folder):
    atlas, head = read_atlas(folder), HeadRef("cross", 3, 2)
    own = atlas.kinds["cross"]
    own["roles"] = [""] * 48
    own["measures"] |= {name: [0.1] * 48 for name in ("offset", "sink", "rare")}
    for error, role in ((31.6, "atlas.aligner"), (35.0, "atlas.no_role")):
        errors = {"written": np.full((6, 8), 90.0), "read": np.full((6, 8), error)}
        assert role_of(atlas, head, errors) == text("en", role)
    assert habit(atlas, head, {}) == text("en", "heads.no_habit")
    assert habit(atlas, head, {"read": np.full((6, 8), 31.6)}) == text("en", "heads.aligns.read", error="32")


def test_lists_of_tokens_have_no_sign_of_a_piece():
    nothing = {"most": [], "more": []}
    at = {"most": [["##0", 5, 1.0], ["##", 3, 1.0]], "more": [["##ing", 4, 2.0]]}
    lines = [said for _, said in token_lines({"at": at, "hard": nothing})]
    assert lines == ["0 (5)  ## (3)", "ing (2×)"]


def test_a_head_without_a_number_is_no_point():
    heads = [HeadRef("cross", 0, number) for number in range(3)]
    points = [
        HeadPoint(head, head.title, "<b>", 1.0, y, "", 2.0)
        for head, y in zip(heads, (1.0, 2.0, float("nan")), strict=True)
    ]
    figure = scatter_figure(points, LIGHT, ("x", "<i>", "c"), heads[2])
    (trace,) = figure.data
    assert [code for (code,) in trace.customdata] == ["c0.0", "c0.1"]
    assert "&lt;b&gt;" in trace.text[0]
    assert figure.layout.yaxis.title.text == "&lt;i&gt;"


def test_a_group_keeps_its_colour_where_others_have_no_number():
    def drawn(first: float) -> dict[str, str]:
        groups = zip(("a", "b", "b"), (first, 1.0, 2.0), strict=True)
        points = [HeadPoint(HeadRef("cross", 0, 0), "", "", 1.0, y, group) for group, y in groups]
        return {trace.name: trace.marker.color for trace in scatter_figure(points, LIGHT, ("x", "y", "c"), None).data}

    every, without = drawn(0.0), drawn(float("nan"))
    assert list(every) == ["a", "b"]
    assert every["a"] != every["b"]
    assert without == {"b": every["b"]}


def test_a_small_map_is_the_stored_weights():
    entry = {"rows": ["a", "b"], "columns": ["x", "##y", "##"], "cells": [[2, 255], [0, 51, 1, 102]]}
    chart = small_map(entry)
    np.testing.assert_allclose(chart.cells.values, [[0, 0, 1], [0.2, 0.4, 0]])
    assert folder_names(chart) == (["x", "y", "##"], ["a", "b"]), "a piece within a word has no sign, unless it is all"


def folder_names(chart):
    return list(chart.names), list(chart.rows)


def test_lines_of_the_graph_are_as_wide_as_the_scores():
    head, other = HeadRef("cross", 1, 0), HeadRef("decoder_self", 0, 1)
    found = [Composition(other, head, "Q", 0.5), Composition(other, head, "Q", 0.25)]
    figure = feeding_figure(head, found, [], LIGHT)
    first, second, names = figure.data
    assert first.line.width == 2 * second.line.width
    assert names.text[0].endswith("Q 0.500")
    assert len(names.text) == 3


def test_a_page_that_is_taken_away_is_plain_html():
    entry = {"rows": ["<b>"], "columns": ["x", "y"], "cells": [[1, 255]], "src": HOSTILE, "tgt": "&", "strength": 0.5}
    whole = head_html("en", "a & b", ["1 < 2"], {"sentences": [entry]})
    assert whole.startswith("<!doctype html>\n<html lang=")
    assert "<script" not in whole.replace("&lt;script", "")
    assert "<img" not in whole
    assert "1 &lt; 2" in whole
    fills = re.findall(r'<rect x="[^>]*fill="(#\w+)"', whole)
    assert fills[:2] == ["#FCFBF8", "#08284F"]  # the scale's ends
    assert "&lt;b&gt;</text>" in whole
