"""The pages about beam search and forks, through Streamlit's AppTest: no browser."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.analysis.what_if.beam_tree import grown_tree
from model.analysis.what_if.fork import fork_between, fork_votes
from model.own.text.vocab import EOS_ID
from model.translator import Translator
from tests.pages import HOSTILE, SENTENCE, choose, components, markup, opened, reverse, sent, shipped, words

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
