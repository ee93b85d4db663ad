"""The pages about beam search and forks, through Streamlit's AppTest: no browser."""

from __future__ import annotations

import re
import shutil
from html import unescape

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.analysis.what_if.beam_tree import grown_tree
from model.analysis.what_if.fork import fork_between, fork_votes
from model.analysis.what_if.patching import Carried, contrast, patched_ids, sweep
from model.folders import MODELS, resolve
from model.own.text.vocab import EOS_ID
from model.translator import Translator
from tests.pages import HOSTILE, SENTENCE, charts, choose, components, markup, opened, reverse, sent, shipped, words
from viz.core import models
from viz.core.text import text

LONG = " ".join(["The old man told the children a long story about the sea"] * 5) + "."
pytestmark = shipped


def written(at: AppTest) -> str:
    body = next(element.proto.body for element in at.get("html") if "hl-translation" in element.proto.body)
    return unescape(re.sub("<[^>]*>", "", body))


def code(at: AppTest, name: str, ids: tuple[int, ...]) -> str:
    """A code about the sentence that the app shows, from one that it made itself."""
    about = at.session_state[name].split(".")[0]
    return ".".join([about, *map(str, ids)])


def test_the_tree_sent_is_the_models(en_zh: Translator) -> None:
    data = sent(opened("beam", width=3))
    tree, hypotheses = grown_tree(en_zh, SENTENCE, 3)
    assert [node["score"] for node in data["nodes"]] == pytest.approx([n.score for n in tree.nodes], abs=1e-3)
    assert [node["parent"] for node in data["nodes"]] == [node.parent for node in tree.nodes]
    assert [each["text"] for each in data["hypotheses"]] == [
        en_zh.tgt_tokenizer.decode(list(each.ids)) for each in hypotheses
    ]


def test_three_ways_stand_in_one_table_and_a_seed_repeats_itself(en_zh: Translator) -> None:
    first = opened("beam", decoded="ways", width=4, seed=7, temperature=1.5)
    assert en_zh.translate(SENTENCE).text in re.sub(r"\s", "", words(first))
    assert re.sub(r"\s", "", en_zh.translate(SENTENCE, 4).text) in re.sub(r"\s", "", words(first))
    assert words(opened("beam", decoded="ways", width=4, seed=7, temperature=1.5)) == words(first)
    assert words(opened("beam", decoded="ways", width=4, seed=8, temperature=1.5)) != words(first)


def test_a_fork_shows_both_translations_and_votes_that_add_up(en_zh: Translator) -> None:
    at, step = opened("fork", step=3), 2
    own, shown = en_zh.translate(SENTENCE), sent(at)
    forked = en_zh.translate(SENTENCE, prefix=(*own.tgt_ids[:step], shown["chosen"]))
    parted = fork_between(own, forked)
    assert parted is not None
    assert (parted.place, parted.other) == (step, shown["chosen"])
    assert shown["written"] == parted.written == own.tgt_ids[step]
    others = [each for each in shown["candidates"] if each["id"] != shown["written"]]
    assert max(others, key=lambda each: each["probability"])["id"] == shown["chosen"]
    assert re.sub(r"\s", "", forked.text) in re.sub(r"\s", "", words(at))
    votes = fork_votes(en_zh, SENTENCE, own.tgt_ids[: parted.place], parted.written, parted.other)
    body = next(each.proto.body for each in at.get("html") if "hl-votes" in each.proto.body)
    shown = {name: float(value) for name, value in re.findall(r'data-(\w+)="([^"]+)"', body)}
    assert shown["difference"] == pytest.approx(votes.difference, abs=1e-4)
    assert shown["total"] == pytest.approx(shown["difference"], abs=1e-4)
    board = components(at)[1]
    for kind in board["kinds"]:
        np.testing.assert_allclose(kind["values"], votes.heads[kind["kind"]], atol=1e-4)


def test_the_fork_is_at_the_chosen_token_and_one_of_another_token_is_let_go(en_zh: Translator) -> None:
    own = en_zh.translate(SENTENCE)
    at = type_prefix(opened("fork", step=3), "他")
    assert own.tgt_ids[0] != sent(at)["chosen"]
    assert (at.session_state["step"], sent(at)["written"]) == ("1", own.tgt_ids[0])
    choose(at, step="4")
    assert sent(at)["written"] == own.tgt_ids[3]
    choose(at, step="")  # nobody has chosen a token: the fork says where
    assert sent(at)["written"] == own.tgt_ids[0]


def type_prefix(at: AppTest, text: str) -> AppTest:
    at.text_input(key="prefix").set_value(text)
    next(button for button in at.button if button.label == "Go on from here").click()
    at.run()
    assert not at.exception
    return at


def test_a_typed_prefix_is_kept_and_the_own_beginning_changes_nothing(en_zh: Translator) -> None:
    at = type_prefix(opened("fork"), "他")
    (prefix,) = (token.id for token in en_zh.tgt_tokenizer.encode("他"))
    assert at.session_state["fork"].endswith(f".{prefix}")
    assert re.sub(r"\s", "", en_zh.translate(SENTENCE, prefix=(prefix,)).text) in re.sub(r"\s", "", words(at))
    type_prefix(at, en_zh.translate(SENTENCE).text[:2])
    assert "nothing changes" in words(at)


def test_an_unknown_character_gets_one_sentence_and_stays() -> None:
    at = opened("fork")
    before = words(at)
    type_prefix(at, "他ы<b>")
    assert at.text_input(key="prefix").value == "他ы<b>"
    assert "does not know" in words(at)
    assert "does not know" not in before
    type_prefix(at, "他")
    assert "does not know" not in words(at)


def test_a_hypothesis_under_inspection_is_the_sentence_of_every_view(en_zh: Translator) -> None:
    at = type_prefix(opened("fork"), "他")
    other = grown_tree(en_zh, SENTENCE, 5)[1][-1]
    at.session_state["hyp"] = code(at, "fork", (*other.ids, EOS_ID))
    at.run()
    assert written(at) == en_zh.tgt_tokenizer.decode(list(other.ids))
    assert sent(at)["written"] == other.ids[0]
    at.button(key="back_to_best").click().run()
    assert written(at) == en_zh.translate(SENTENCE).text
    assert at.session_state["hyp"] == ""


def test_a_hypothesis_of_another_sentence_is_ignored(en_zh: Translator) -> None:
    at = opened("beam", hyp="00000000.45.46.2", fork="00000000.45")
    assert written(at) == en_zh.translate(SENTENCE).text


@pytest.mark.parametrize("page", ["beam", "fork"])
@pytest.mark.parametrize("state", [{"text": HOSTILE}, {"text": LONG}, {"text": "Hello"}, {"words": True, "lang": "zh"}])
def test_every_sentence_works(page: str, state: dict[str, object]) -> None:
    at = opened(page, **state)
    assert "<img" not in markup(at)
    assert components(at)


@reverse
@pytest.mark.parametrize("page", ["beam", "fork"])
def test_the_toy_works(page: str) -> None:
    at = opened(page, checkpoint="reverse", text="headlight")
    assert written(at) == "thgildaeh"
    assert components(at)


ONE, OTHER = "I like red apples.", "I do not like red apples."


@pytest.fixture(scope="module")
def about(en_zh):
    found = contrast(en_zh.translate(ONE), en_zh.translate(OTHER))
    assert found is not None
    return found


@pytest.fixture(scope="module")
def swept(en_zh, about):
    return sweep(en_zh, about)


def test_the_board_and_the_list_say_what_each_site_moves(en_zh, about, swept):
    at = opened("patching", text=ONE, other=OTHER)
    for kind in sent(at)["kinds"]:
        expected = swept.heads[kind["kind"]]
        assert [value for row in kind["values"] for value in row] == pytest.approx(expected.ravel().tolist(), abs=1e-3)
    best = next(site for site in swept.best() if site.head)
    assert at.session_state["carry"] == best.code
    assert "carry" not in at.query_params
    assert len(at.selectbox(key="pick_carry").options) == len(swept.best())


def test_a_link_carries_a_state_and_shows_what_is_written_then(en_zh, about, swept):
    best = next(site for site in swept.best() if site.head is None)
    at = opened("patching", text=ONE, other=OTHER, carry=best.code)
    assert at.session_state["carry"] == best.code
    written = en_zh.decode_target(patched_ids(en_zh, about, best))
    assert written in "".join(words(at).split())
    shapes = charts(at)[0]["layout"]["shapes"]
    assert any(shape["line"]["width"] == 3 for shape in shapes)


@pytest.mark.parametrize("carry", [HOSTILE, "s99.0", "c9.9", "s0.999", "x"])
def test_nonsense_in_the_link_is_the_best_head(carry, swept):
    at = opened("patching", text=ONE, other=OTHER, carry=carry)
    assert at.session_state["carry"] == next(site for site in swept.best() if site.head).code
    assert "<img" not in markup(at)


def test_a_word_without_a_partner_cannot_be_carried():
    at = opened("patching", text=OTHER, other=ONE, carry="s0.1")
    assert Carried.parse(at.session_state["carry"]).head is not None
    points = [trace for trace in charts(at)[0]["data"] if trace.get("mode") == "markers"]
    none = text("en", "states.none")
    codes = [code for code, said in zip(points[0]["customdata"], points[0]["text"], strict=True) if said == none]
    assert {code.split(".")[1] for code in codes} == {"1", "2"}


def test_two_sentences_of_one_translation_get_one_sentence():
    at = opened("patching", text=ONE, other=ONE)
    assert text("en", "carry.same") in [each.value for each in at.info]
    assert not charts(at)
    assert text("zh", "carry.same") in [each.value for each in choose(at, lang="zh").info]


TOY = {"checkpoint": "reverse", "text": "headlight"}


@reverse
def test_the_toy_takes_from_the_step_at_which_it_was_half_trained_before_another_is_chosen():
    finished, half = (Translator.from_checkpoint(name, "cpu") for name in ("reverse", "reverse@600"))
    at = opened("patching", **TOY, donor="model")
    assert at.session_state["against"] == "reverse@600"
    about = contrast(finished.translate("headlight"), half.translate("headlight"))
    expected = sweep(finished, about, half)
    for kind in sent(at)["kinds"]:
        values = expected.heads[kind["kind"]]
        assert [value for row in kind["values"] for value in row] == pytest.approx(values.ravel().tolist(), abs=1e-3)
    best = next(site for site in expected.best() if site.head)
    assert at.session_state["carry"] == best.code
    assert finished.decode_target(patched_ids(finished, about, best, half)) in "".join(words(at).split())
    names = dict(one="reverse", other="reverse · step 600")
    assert text("en", "carry.meaning.models", **names) in words(at)
    assert charts(choose(at, donor="sentence")) != charts(choose(at, donor="model"))


@reverse
def test_models_that_write_the_same_or_are_not_there_get_one_sentence():
    same = opened("patching", **TOY, donor="model", against="reverse@2400")
    assert text("en", "carry.same_models") in [each.value for each in same.info]
    assert not charts(same)
    nonsense = opened("patching", **TOY, donor="model", against=HOSTILE)
    assert nonsense.session_state["against"] == "reverse@600"
    assert "<img" not in markup(nonsense)
    alone = opened("patching", text=ONE, donor="model")
    assert text("en", "carry.no_model", model="en-zh") in words(alone)
    assert not charts(alone)


@reverse
def test_a_model_of_the_same_sizes_and_another_vocabulary_gets_one_sentence(tmp_path, monkeypatch):
    respelt = tmp_path / "respelt"
    shutil.copytree(resolve("reverse"), respelt, ignore=shutil.ignore_patterns("history*", "examples"))
    target = (respelt / "tgt.json").read_text(encoding="utf-8")
    (respelt / "tgt.json").write_text(target.replace('"q"', '"ß"'), encoding="utf-8")
    monkeypatch.setenv(MODELS, str(tmp_path))
    models.forget()
    try:
        at = opened("patching", **TOY, donor="model")
        assert at.session_state["against"] == "respelt"
        assert "from respelt into reverse: their target vocabularies differ" in words(at)
        assert text("zh", "error.OtherShapeError") in words(choose(at, lang="zh"))
        assert not charts(at)
    finally:
        models.forget()
