"""The alignment page, and the head that the app opens on."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.analysis.alignment.error_table import ErrorTable
from model.analysis.alignment.gold import RULES, link_set, pharaoh
from model.analysis.alignment.known_pairs import reversed_pair, truth_pairs
from model.analysis.alignment.word_maps import ALL, pair_maps, places, translation_maps
from model.attribution.methods import SHIFTS
from tests.pages import SENTENCE, charts, choose, english, go_to, markup, prepared, words
from viz.charts.heatmap import HeatmapText
from viz.core import models
from viz.core.theme import LIGHT
from viz.export.show.reading import shipped_storyboard
from viz.views.alignment.page import word_links
from viz.views.alignment.truth_meter import gold_map, opened_place
from viz.views.translate.panel import right_rate
from viz.widgets.alignment import Setting, rate_of

WORDS = english(HeatmapText)
STALE = "python -m model align --truth --checkpoint en-zh --save"


@pytest.fixture(autouse=True)
def fresh():
    models.forget()
    yield
    models.forget()


@pytest.fixture
def at() -> AppTest:
    return prepared("alignment")


@pytest.mark.parametrize(
    ("choices", "setting"),
    [
        ({"layer": 1, "head": 3, "shift": "read"}, (1, "weights", (1, 3), "argmax")),
        ({"layer": 0, "align_from": "layer", "align_method": "norms"}, (0, "norms", (0, ALL), "argmax")),
        ({"align_from": "all", "align_method": "votes", "align_links": "grow"}, (0, "votes", (ALL, ALL), "grow")),
        ({"align_from": "head", "align_method": "chefer"}, (0, "chefer", (ALL, ALL), "argmax")),
    ],
)
def test_the_line_of_links_is_what_the_analysis_makes(at, en_zh, translation, choices, setting):
    choose(at, text=SENTENCE, **{"shift": "written", **choices})
    shift, method, place, rule = setting
    _, _, maps = translation_maps(en_zh, translation, (method,))
    links = RULES[rule](maps[shift, 0, places(6, 8).index(place)])
    assert at.code[0].value == pharaoh(link_set(links))


@pytest.mark.parametrize("text", ["Hello", "<b>x</b> $y$ {z} :red[a] </script>", "word " * 60])
def test_short_hostile_and_long_sentences_are_aligned(at, text):
    choose(at, text=text, lang="zh")
    assert at.code[0].value


def test_an_empty_sentence_is_the_frames_to_explain(at):
    choose(at, text=" ")
    assert "hl-error" in markup(at)
    assert not at.code


def test_the_truth_meter_scores_the_pair_that_is_chosen(at, en_zh):
    choose(at, align_view="truth", pair=4, layer=2, head=1, shift="written")
    pair = truth_pairs("english")[4]
    table = ErrorTable(6, 8, ("weights",))
    table.add(pair_maps(en_zh, pair, ("weights",)), pair)
    rate = 100 * table.rates[0, 0, 0, places(6, 8).index((2, 1))]
    assert f"alignment error {rate:.0f} % on this pair" in words(at)
    outlines = [shape["line"]["dash"] for shape in charts(at)[0]["layout"]["shapes"]]
    assert outlines.count("solid") == len(pair.sure)
    assert outlines.count("dot") == len(pair.possible - pair.sure)
    assert at.query_params["pair"] == "5"


def test_on_the_reversing_checkpoint_the_best_head_makes_the_anti_diagonal(at):
    choose(at, checkpoint="reverse", text="headlight", align_view="truth")
    start = models.entry_of("reverse").opening
    choose(at, layer=start["layer"], head=start["head"], shift=start["shift"], pair=0)
    dots = next(trace for trace in charts(at)[0]["data"] if trace.get("name") == "found")
    found = {(round(x - 0.3), round(y + 0.28)) for x, y in zip(dots["x"], dots["y"], strict=True)}
    assert len(found & reversed_pair("headlight").sure) >= 8


def test_the_app_opens_on_the_head_that_aligns_best_while_it_writes_and_says_why():
    at = choose(prepared(picture="head"))
    table, why = models.entry_of("en-zh").alignment
    assert why == ""
    rates = table["aer"][table["best_head"]["links"]]["weights"]["written"]["layers"]
    least, layer, head = min(
        (rate, layer, head) for layer, row in enumerate(rates) for head, rate in enumerate(row[:-1])
    )
    assert (at.session_state["layer"], at.session_state["head"]) == (layer, head)
    assert f"Opened on cross-attention L{layer} H{head}: of 48 heads" in words(at)
    assert f"(alignment error {least:.0f} %" in words(at)
    assert "Opened on" not in words(choose(at, head=(head + 1) % 8))


@pytest.mark.parametrize("why", ["stale", "damaged"])
def test_a_table_of_other_weights_is_not_used_and_the_app_says_so(monkeypatch, why):
    monkeypatch.setattr(models, "load_alignment", lambda name, sha256: (None, why))
    models.forget()
    at = choose(prepared(picture="head"))
    start = models.entry_of("en-zh").meta.get("opens_on", {"layer": 5, "head": 0})
    assert (at.session_state["layer"], at.session_state["head"]) == (start["layer"], start["head"])
    assert "not on the best alignment head" in words(at)
    at = choose(go_to(at, "alignment"), align_view="truth")
    assert STALE in words(at)
    assert "on this pair." in words(at)


def test_a_tables_rate_is_found_by_its_setting():
    table, _ = models.entry_of("en-zh").alignment
    for best in (table["best"], table["best_head"]):
        setting = Setting(best["layer"], best["head"], best["method"], best["shift"], best["links"])
        assert rate_of(table, setting) == best["aer"]
    assert rate_of(table, Setting(ALL, ALL, "norms", "read", "grow")) == table["aer"]["grow"]["norms"]["read"][ALL]


def test_a_browsers_message_names_a_place_or_nothing():
    assert opened_place({"layer": 1, "head": "all"}, 2, 4) == (1, "all")
    assert opened_place({"layer": 1, "head": 3}, 2, 4) == (1, 3)
    bad = ({"layer": 2, "head": 0}, {"layer": 0, "head": 4}, {"layer": True, "head": 0}, {"layer": 0, "head": "x"}, 3)
    assert [opened_place(value, 2, 4) for value in bad] == [None] * 5


def test_links_outside_the_words_are_refused():
    values = np.ones((2, 3))
    with pytest.raises(ValueError, match="0-2 is outside a map of 2 by 3"):
        gold_map(
            values,
            "甲乙",
            "abc",
            sure={(0, 2)},
            possible=(),
            found=(),
            title="",
            theme=LIGHT,
            text=english(HeatmapText),
        )
    with pytest.raises(ValueError, match="outside the 1 and 2 words"):
        word_links(["a"], ["甲", "乙"], {(1, 0)}, theme=LIGHT, labels=str, key="x")


def test_the_rate_behind_an_answer_is_of_its_own_map_and_names_both_samples(en_zh):
    """Word by word by the definition: the strongest word of the row that writes it is one that people linked."""
    table, _ = models.entry_of("en-zh").alignment
    right = linked = 0
    for pair in truth_pairs("english"):
        rows = pair_maps(en_zh, pair, ("votes",))[SHIFTS.index("written"), 0, -1]
        for target, row in enumerate(rows):
            words_of_it = {source for source, other in pair.possible if other == target}
            linked += bool(words_of_it)
            right += bool(row.any()) and int(row.argmax()) in words_of_it
    said = right_rate("en-zh", "votes")
    assert f"the word that votes marks most is a linked one for {100 * right / linked:.0f} % of {linked} words" in said
    news = table["news"]["named"]["votes"]
    assert f"on {table['news']['sentences']} long news sentences for {news['percent']:.0f} %" in said
    assert right_rate("en-zh", "weights") != said
    assert right_rate("en-zh", "integrated") == "", "it was never measured"


def test_a_setting_names_the_rule_by_which_it_makes_links():
    assert Setting(2, 1, "weights", "written", "argmax").name.endswith(" · strongest links")
    assert Setting(ALL, ALL, "votes", "read", "grow").name.endswith(" · links both ways")


def test_what_the_talks_say_of_the_table_of_known_pairs_is_so():
    table, _ = models.entry_of("en-zh").alignment
    notes = [scene.note.en for name in ("off-by-one", "which-picture") for scene in shipped_storyboard(name).scenes]
    assert any("first among all in our table" in note and "name “read”" in note for note in notes)
    assert table["best_head"]["shift"] == "read"
    claim = "of the maps that take all layers together the best alignment of our known pairs"
    assert any(claim in " ".join(note.split()) for note in notes)
    together = {
        method: min(rule[method][shift]["all"] for rule in table["aer"].values() for shift in rule[method])
        for method in table["aer"]["argmax"]
    }
    assert min(together, key=together.__getitem__) == "votes"
