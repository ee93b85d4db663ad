"""“Find the head” on the mixing desk, through Streamlit's AppTest: no browser."""

from __future__ import annotations

import copy
import math
import random

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from model.analysis.heads.table import HeadTable
from model.analysis.what_if.mixing import changed_tokens, log_probs, mix
from model.analysis.what_if.repair import repairs
from model.own.checkpoint import Checkpoint
from model.trace import KINDS
from model.translator import Translator
from tests.pages import HOSTILE, SENTENCE, choose, components, markup, opened, prepared, reverse, sent, shipped
from viz.core.answers import heads as answers
from viz.core.codes.mix import format_mix, parse_mix, reported_gains
from viz.core.models import entry_of
from viz.core.text import text
from viz.widgets.desk_board import Desk, desk_payload

pytestmark = shipped


SIZES = {"encoder_self": (2, 3), "decoder_self": (4, 3), "cross": (4, 3)}
EVERY = [(kind, layer, head) for kind in KINDS for layer in range(SIZES[kind][0]) for head in range(SIZES[kind][1])]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_gains_survive_the_link(share):
    rng = random.Random(share)
    for _ in range(50):
        gains = {place: rng.choice([0.0, 0.0, 0.05, 0.5, 1.5]) for place in EVERY if rng.random() < share}
        code = format_mix(gains, SIZES)
        assert parse_mix(code, SIZES) == gains
        assert len(code) <= 10 * len(EVERY)


@pytest.mark.parametrize(
    ("code", "gains"),
    [
        ("c3.2:0", {("cross", 3, 2): 0.0}),
        ("e0:0.5", {("encoder_self", 0, head): 0.5 for head in range(3)}),
        (
            "d:0,d1:1,d1.2:0",
            {place: 0.0 for place in EVERY if place[0] == "decoder_self" and place[1:] not in [(1, 0), (1, 1)]},
        ),
        ("c0.0:1", {}),
    ],
)
def test_short_forms_stand_for_layers_and_kinds(code, gains):
    assert parse_mix(code, SIZES) == gains
    assert parse_mix(format_mix(gains, SIZES), SIZES) == gains


def test_a_layer_a_kind_and_a_solo_are_short():
    assert format_mix({("cross", 3, head): 0.0 for head in range(3)}, SIZES) == "c3:0"
    alone = {place: 0.0 for place in EVERY if place != ("cross", 3, 2)}
    assert format_mix(alone, SIZES) == "e:0,d:0,c:0,c3.2:1"
    assert format_mix({("cross", 0, 0): 1.0}, SIZES) == ""


@pytest.mark.parametrize(
    "code",
    ["", ",", "c4.0:0", "c0.3:0", "e2:0", "x0.0:0", "c0.0:1.51", "c0.0:-1", "c0.0:nan", "c0.0:0.123", "c0.0", "c.0:0",
     "c٣.0:0", "<script>", "c0.0:0\n", "c99999999999:0", "c0.0:1e0", " c0.0:0"],
)  # fmt: skip
def test_bad_strings_are_ignored_and_spoil_nothing(code):
    assert parse_mix(code, SIZES) == {}
    assert parse_mix(f"e1.1:0,{code},e0.0:0.5", SIZES) == {("encoder_self", 1, 1): 0.0, ("encoder_self", 0, 0): 0.5}


def test_messages_of_a_browser_are_checked():
    full = [100] * len(EVERY)
    assert reported_gains(full, SIZES) == {}
    assert reported_gains([0, *full[1:]], SIZES) == {("encoder_self", 0, 0): 0.0}
    for wrong in (None, "0", full[1:], [True, *full[1:]], [151, *full[1:]], [-1, *full[1:]], [0.5, *full[1:]]):
        assert reported_gains(wrong, SIZES) is None


def test_tokens_are_matched_in_order():
    assert changed_tokens([1, 2, 3], [1, 2, 3]) == ((False,) * 3, (False,) * 3)
    assert changed_tokens([1, 2], [2, 1]) != ((False,) * 2, (False,) * 2)  # the same tokens in another order
    assert changed_tokens([], [7]) == ((), (True,))


def test_gain_one_is_the_same_translation_and_probability(translator):
    original = translator.translate("I love you.")
    whole = mix(translator, original, dict.fromkeys([("cross", 0, 0), ("encoder_self", 1, 2)], 1.0))
    assert whole.mixed is original
    assert whole.change == 0.0
    assert whole.before == pytest.approx(original.log_probs, abs=1e-5)
    near = mix(translator, original, {("cross", 0, 0): 1.0 + 1e-7})  # goes through the hooks
    np.testing.assert_allclose(near.after, whole.before, atol=1e-5)


def rebuilt(translator, gains):
    """The same model, its weights changed by hand: a head's columns of W_O times its gain."""
    model = copy.deepcopy(translator.model)
    size = model.config.d_model // model.config.n_heads
    sides = {"encoder_self": ("encoder", "self_attn"), "decoder_self": ("decoder", "self_attn")}
    sides["cross"] = ("decoder", "cross_attn")
    for (kind, layer, head), gain in gains.items():
        side, block = sides[kind]
        projection = model.get_submodule(f"{side}.layers.{layer}.{block}.out_proj")
        with torch.no_grad():
            projection.weight[:, head * size : (head + 1) * size] *= gain
    tokenizers = translator.src_tokenizer, translator.tgt_tokenizer
    return Translator(Checkpoint(model, *tokenizers, translator.meta), "rebuilt")


def test_change_is_that_of_the_changed_model(translator):
    original = translator.translate("I love you.")
    gains = {("cross", layer, head): 0.0 for layer in range(2) for head in range(4)}
    made, changed = mix(translator, original, gains), rebuilt(translator, gains)
    assert made.mixed.tgt_ids == changed.translate("I love you.").tgt_ids
    assert made.after == pytest.approx(log_probs(changed, original, {}), abs=1e-4)
    assert made.change == pytest.approx(sum(made.after) - sum(original.log_probs), abs=1e-3)
    assert abs(made.change) > 1e-4


def test_words_join_pieces_and_add_their_changes(translator):
    original = translator.translate("I love you.")
    made = mix(translator, original, {("cross", 0, 0): 0.0})
    sizes = {kind: (2, 4) for kind in KINDS}
    single, joined = (
        desk_payload(Desk({}, sizes, dict.fromkeys(KINDS, "t"), made, words, "v"))["before"] for words in (False, True)
    )
    assert len(single) == len(made.before)
    assert sum(row[3] for row in single) == pytest.approx(made.change, abs=1e-2)
    assert sum(row[3] for row in joined) == pytest.approx(made.change, abs=1e-2)
    assert len(joined) == len({label.word for label in original.tgt}) + original.finished


@pytest.fixture
def at() -> AppTest:
    return prepared("mixing_desk", text=SENTENCE)


@shipped
def test_the_desk_shows_what_the_link_says(at, en_zh, translation):
    at.session_state["mix"] = "c:0,nonsense,e1.2:1.25"
    data = sent(at.run())
    gains = {place: 0.0 for place in en_zh.anatomy.all_heads() if place[0] == "cross"} | {("encoder_self", 1, 2): 1.25}
    changed = rebuilt(en_zh, gains)
    mixed = changed.translate(SENTENCE)
    assert set(data["kinds"][2]["gains"]) == {0}
    assert data["kinds"][0]["gains"][10] == 125
    assert [row[0] for row in data["after"]] == [label.text for label in mixed.tgt]
    kept = [row[0] for row in data["before"][:-1] if not row[2]], [row[0] for row in data["after"] if not row[2]]
    assert kept[0] == kept[1]  # what is marked neither lost nor new is what both share, in order
    assert any(row[2] for row in data["after"])
    deltas = np.subtract(log_probs(changed, translation, {}), translation.log_probs)
    assert [row[3] for row in data["before"]] == pytest.approx(deltas.tolist(), abs=1e-3)


@shipped
def test_untouched_muted_and_reset(at):
    before = sent(at.run())
    assert not any(row[2] for row in before["before"] + before["after"])
    assert {row[3] for row in before["before"]} == {0.0}
    at.session_state["mix"] = "c:0"
    muted = sent(at.run())
    assert any(row[2] for row in muted["after"])
    at.session_state["mix"] = ""
    again = sent(at.run())
    assert again == before


@shipped
@pytest.mark.parametrize(
    "sentence", ["Hello", "word " * 60, "</script><script>alert(1)</script>", "$x$ :red[y] 你好 😀"]
)
def test_any_sentence_can_be_mixed(at, sentence):
    at.session_state["text"], at.session_state["mix"] = sentence, "c0.0:0"
    assert len(sent(at.run())["before"]) > 0


@shipped
def test_no_sentence_no_desk(at):
    assert components(choose(at, text="  ")) == []


@reverse
@pytest.mark.parametrize("word", ["headlight", "streamlit"])
def test_on_reverse_muting_the_heads_that_do_the_work_breaks_the_reversal(word):
    translator = Translator.from_checkpoint("reverse", "cpu")
    original = translator.translate(word, capture=True)
    assert original.text == word[::-1]
    letters = np.arange(len(word))
    looks = original.trace.cross[:, :, letters, len(word) - 1 - letters].mean(-1)  # at the letter to be written
    workers = {("cross", *map(int, place)): 0.0 for place in np.argwhere(looks > 0.5)}
    assert workers
    broken = mix(translator, original, workers)
    assert broken.mixed.text != word[::-1]
    assert broken.change < -2
    heads = [("decoder_self", layer, head) for layer in range(looks.shape[0]) for head in range(looks.shape[1])]
    idle = max(heads, key=lambda head: mix(translator, original, {head: 0.0}).change)
    assert mix(translator, original, {idle: 0.0}).mixed.text == word[::-1]


@shipped
@pytest.mark.parametrize(("choices", "start"), [({"mix": "d1.3:0"}, (1, 1, 3)), ({"layer": 2, "head": 5}, (2, 2, 5))])
def test_the_slider_begins_on_the_muted_head_or_else_on_the_chosen_one(choices, start):
    said = sent(opened("mixing_desk", **choices))["start"]
    assert (said["kind"], said["layer"], said["head"]) == start


STEP = 4


@pytest.fixture(scope="module")
def found(en_zh, translation):
    return repairs(en_zh, SENTENCE, translation.tgt_ids, STEP - 1)


def test_nobody_asked_nothing_is_told() -> None:
    assert sent(opened("mixing_desk", step=STEP))["alone"] is None


def test_cells_and_rows_are_the_models_for_the_chosen_token(en_zh, found) -> None:
    told = sent(opened("mixing_desk", step=STEP, repair="1"))["alone"]
    for kind, cells in zip(en_zh.anatomy.kinds, told["cells"], strict=True):
        changes = np.array([[cell["change"] for cell in row] for row in cells])
        np.testing.assert_allclose(changes, found.change(found.written)[kind], atol=1e-3)
        others = np.array([[cell["other"] for cell in row] for row in cells])
        assert (others == (found.then[kind] != found.first)).all()
    kinds = list(en_zh.anatomy.kinds)
    assert [(kinds[row["kind"]], row["layer"], row["head"]) for row in told["heads"]] == found.ranked()[:6]
    count = sum(map(found.changes, en_zh.anatomy.all_heads()))
    assert f"“{en_zh.piece(found.written)}” ({100 * math.exp(found.plain[0]):.0f} %)" in told["said"]
    assert ("none of 144" if not count else f"{count} of 144") in told["said"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_expected_token_ranks_by_its_rise_and_one_that_is_no_candidate_is_none(en_zh, found, language) -> None:
    wanted = found.tokens[2]
    told = sent(opened("mixing_desk", step=STEP, repair="1", wanted=str(wanted), lang=language))["alone"]
    kinds = list(en_zh.anatomy.kinds)
    assert [(kinds[row["kind"]], row["layer"], row["head"]) for row in told["heads"]] == found.ranked(wanted)[:6]
    assert en_zh.piece(wanted) in told["said"]
    for nonsense in ("x", "-1", str(found.written)):
        plain = sent(opened("mixing_desk", step=STEP, repair="1", wanted=nonsense, lang=language))["alone"]
        assert plain["heads"] != told["heads"]


def test_the_button_asks_and_lets_go(found) -> None:
    at = opened("mixing_desk", step=STEP)
    at.toggle(key="repair_asked").set_value(True).run()
    assert len(sent(at)["alone"]["heads"]) == 6
    assert at.session_state["repair"] == "1"
    at.toggle(key="repair_asked").set_value(False).run()
    assert sent(at)["alone"] is None
    assert sent(opened("mixing_desk", step=STEP, repair="<b>"))["alone"] is None


def test_hostile_text_is_literal() -> None:
    at = opened("mixing_desk", text=HOSTILE, repair="1")
    assert "<img" not in markup(at)
    assert len(sent(at)["alone"]["heads"]) == 6


def test_the_answer_panel_leads_to_the_desk_and_asks() -> None:
    at = opened("translate", step=STEP, hl_how=True)
    at.button(key="more_repair").click()
    choose(at)
    assert sent(at)["alone"] is not None
    assert at.session_state["repair"] == "1"


def table_of(sha256: object, cost: list[float], error: list[float]) -> HeadTable:
    """The costs of the first heads of cross-attention; of all others 0."""
    costs, errors = np.zeros((2, 6, 8))
    costs[0, : len(cost)], errors[0, : len(error)] = cost, error
    facts = {"sha256": sha256, "file": "some.tsv", "sentences": 7, "command": "python -m model heads"}
    return HeadTable(facts, {"cross": costs}, {}, {}, {}, {}, {"cross": errors})


@pytest.mark.parametrize("language", ["en", "zh"])
def test_boxes_at_rest_say_what_muting_each_head_costs_over_the_corpus(language) -> None:
    tint = sent(opened("mixing_desk", lang=language))["tint"]
    table = answers.head_table("en-zh")
    for kind, boxes in zip(KINDS, tint["boxes"], strict=True):
        cost, error = table.importance[kind], table.errors[kind]
        share = np.array([[box["share"] for box in row] for row in boxes])
        assert ((share != 0) == (np.abs(cost) > 2 * error)).all()
        assert (share * cost <= 0).all(), "what costs is at the low end of the scale"
        for place in np.ndindex(*cost.shape):
            assert f"{cost[place] + 0:.4f}".replace("-", "−") in boxes[place[0]][place[1]]["note"]
    kind, place = max(((kind, place) for kind in KINDS for place in np.ndindex(*table.importance[kind].shape)),
                      key=lambda at: table.importance[at[0]][at[1]])  # fmt: skip
    most = tint["boxes"][KINDS.index(kind)][place[0]][place[1]]
    assert most["share"] == -1
    assert most["note"] in tint["said"]
    assert f"{table.facts['sentences']:,}" in tint["said"]


def test_a_box_is_coloured_only_where_its_cost_is_sure(monkeypatch) -> None:
    nothing = float("nan")
    cost, error = [0.16, 0.04, -0.04, 0.01, 0.09, nothing], [0.01] * 4 + [nothing] * 2
    made = table_of(entry_of("en-zh").meta["sha256"], cost, error)
    monkeypatch.setattr(answers, "head_table", lambda _: made)
    tint = sent(opened("mixing_desk"))["tint"]
    encoder, _, cross = tint["boxes"]
    assert {box["share"] for row in encoder for box in row} == {0.0}, "the table does not have them"
    assert [box["share"] for box in cross[0][:6]] == [-1, -0.5, 0.5, 0, -0.75, 0]
    notes = [box["note"] for box in cross[0][:6]]
    assert ["standard error" in note for note in notes] == [True] * 4 + [False] * 2
    assert ["costs" in note for note in notes] == [True] * 5 + [False]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("made", [None, table_of("of other weights", [0.5], [0.1])])
def test_without_a_table_of_these_weights_a_sentence_says_so(monkeypatch, language, made) -> None:
    monkeypatch.setattr(answers, "head_table", lambda _: made)
    desk = sent(opened("mixing_desk", lang=language))
    assert desk["tint"] == {"said": text(language, "mix.cost.none", checkpoint="en-zh"), "boxes": []}
    assert desk["kinds"][0]["gains"], "and the desk is there"
