"""The answer for one token, and the picture that Translate opens on."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest

from model.analysis.faithfulness.deletion import costs_of_words, leave_one_out
from model.analysis.faithfulness.evidence import Evidence, evidence, told_by_deletion
from model.analysis.residual.votes import Votes
from model.analysis.what_if.verdict import SURE_TRACE, may_be_traceless
from model.attribution.methods import attribution_maps
from model.passage import Ask
from model.trace import Label
from model.translator import Translator
from tests.pages import SENTENCE, choose, markup, opened, reverse, shipped
from viz.core.answers.faithfulness import left_out
from viz.core.choice import tidied
from viz.views.translate import page as best_picture
from viz.views.translate import panel
from viz.views.translate.panel import word_votes

pytestmark = shipped


@pytest.fixture(scope="module")
def model():
    return Translator.from_checkpoint("en-zh")


@pytest.fixture(scope="module")
def made(model):
    return model.translate(SENTENCE, capture=True)


def said(at, name: str) -> str:
    """What an attribute ``data-<name>`` says on the page; "" where there is none."""
    found = re.search(rf'data-{name}="([^"]*)"', markup(at))
    return unescape(found[1]) if found else ""


def without(model, made, word: int) -> np.ndarray:
    """Log-probabilities with a source word's tokens hidden, asked of the model by hand."""
    ids = model.ids(made.source, made.tgt_ids)
    hidden = np.array([[label.word == word for label in made.trace.src]])
    return model.log_probs(ids, hidden=hidden).numpy()[0]


@pytest.mark.parametrize("place", [0, 3])
def test_the_word_it_names_is_the_dearest_to_leave_out(model, made, place):
    at = opened("translate", hl_how=True, step=place + 1)
    words = sorted({label.word for label in made.src})
    costs = [made.log_probs[place] - without(model, made, word)[place] for word in words]
    dearest = words[int(np.argmax(costs))]
    assert said(at, "word") == "".join(label.text.removeprefix("##") for label in made.src if label.word == dearest)
    assert f"{max(costs):.1f}" in markup(at)
    assert f"Where does {made.tgt[place].text} come from?" in markup(at)


@pytest.mark.parametrize("shift", ["written", "read"])
def test_the_chosen_head_is_judged_by_the_step_that_writes_the_token_whatever_names_rows_elsewhere(made, shift):
    weights = made.trace.map("cross", 2, 1)[3]
    sums = [sum(w for w, label in zip(weights, made.trace.src, strict=True) if label.word == n) for n in range(9)]
    top = "".join(label.text.removeprefix("##") for label in made.src if label.word == int(np.argmax(sums)))
    at = opened("translate", hl_how=True, step=4, layer=2, head=1, shift=shift)
    assert f"L2 H1 points to “{top}”" in markup(at)
    dearest, found = said(at, "word"), said(at, "found")
    assert said(at, "head") == ("open" if found != "clear" else "agrees" if top == dearest else "differs")


def test_the_share_of_the_source_is_what_the_translation_so_far_leaves(model, made):
    at = opened("translate", hl_how=True, step=3)
    read = attribution_maps(model, made, "alti")["decoder_self"][0, 0, 2].sum()
    assert float(said(at, "share")) == pytest.approx(1 - read, abs=1e-3)


def test_a_rival_is_asked_for_and_told_by_its_logits(model, made):
    at = opened("translate", hl_how=True, step=2)
    (rivals,) = [each for each in at.get("button_group") if each.label == "Why not …?"]
    assert said(at, "rival") == ""
    rivals.select(rivals.options[0])
    choose(at)
    rival = int(said(at, "rival"))
    logits = model.forced(model.ids(made.source, made.tgt_ids), Ask(kinds=(), logits=True)).logits[1]
    assert float(said(at, "difference")) == pytest.approx(float(logits[made.tgt_ids[1]] - logits[rival]), abs=1e-3)


def test_votes_of_pieces_add_up_and_special_tokens_stay_apart():
    sources = np.array([[[1.0, 2.0, -5.0, 0.5]], [[0.0, 0.25, 0.0, 0.5]]])  # [L, H, S]
    voted = Votes({}, sources, np.zeros(2), 0.0, 0.0, 0.0)
    found = word_votes(voted, [("Ljub", 0), ("##ljana", 0), ("is", 1), ("<eos>", -1)])
    assert list(found.items()) == [("is", -5.0), ("Ljubljana", 3.25), ("<eos>", 1.0)]


def test_it_opens_on_the_map_that_the_table_trusts_and_whoever_chooses_sees_his_choice():
    at = opened("translate", hl_how=True)
    assert said(at, "picture") == best_picture.trusted("en-zh")
    assert said(at, "verdict") in ("green", "amber", "red")
    assert said(choose(at, picture="head"), "picture") == ""
    for chosen in ({"method": "gradient"}, {"head": 5, "layer": 1}, {"combine": "mean"}):
        at = opened("translate", hl_how=True, **chosen)
        assert said(at, "picture") == "", chosen
    assert said(choose(at, combine="head"), "picture") == ""  # asked for by the picker, the head's weights stay
    at = opened("translate", hl_how=True, head=5)
    at.button(key="picture_back").click().run()
    assert said(at, "picture") == best_picture.trusted("en-zh")


def test_what_is_not_looked_at_is_not_computed(monkeypatch):
    asked = []
    monkeypatch.setattr(panel, "left_out", lambda subject: asked.append(subject) or left_out(subject))
    at = opened("translate")
    assert said(at, "word")
    assert (said(at, "answer"), said(at, "share"), asked) == ("", "", [])
    assert said(choose(at, hl_how=True), "answer")
    assert asked


def test_the_words_that_the_answer_leaves_out_cost_what_all_of_them_do(model, made):
    whole = leave_one_out(model, made).costs
    assert np.allclose(costs_of_words(model, made, [1, 4], 2)[[1, 4], 0], whole[[1, 4], 2], atol=1e-4)
    known = costs_of_words(model, made, [1, 4], 0, before=made.log_probs)
    assert np.allclose(known[[1, 4], 0], whole[[1, 4], 0], atol=1e-4)
    ends = costs_of_words(model, made, [0, 3], before=made.log_probs, others=np.inf)
    assert np.allclose(ends[[0, 3]], whole[[0, 3]], atol=1e-4)
    assert np.isinf(ends[[1, 2]]).all()
    assert whole[:, 2].max() > 0.5
    assert not costs_of_words(model, made, [], 2).any()


def test_what_the_marked_words_do_not_settle_is_told_by_all_of_them():
    def asked(costs: np.ndarray, marks: np.ndarray) -> tuple[Evidence, int]:
        seen = set()

        def costs_of(words):
            seen.update(words)
            return np.where(np.isin(np.arange(len(costs)), words), costs, 0)

        return told_by_deletion(costs_of, marks), len(seen)

    marks = np.linspace(1, 0, 12)
    clear, weak, other = (np.eye(12)[place] * cost for place, cost in ((0, 5.0), (0, 1.0), (11, 5.0)))
    assert asked(clear, marks) == (evidence(clear, marks), 8)
    for costs in (weak, other):
        assert asked(costs, marks) == (evidence(costs, marks), 12)
    assert asked(other, marks)[0].found == "split"


def test_only_words_that_brought_little_are_left_out_for_the_verdict():
    words = [Label(text, word) for word, text in enumerate(("the", "boat", "sank", "boat", "slowly"))]
    assert may_be_traceless(words) == [2, 4]
    assert may_be_traceless(words, np.array([[0, 0, SURE_TRACE, 0, 1.0], [0, 0, -9, 0, 0]])) == [4]


def test_a_link_that_names_weights_gets_them():
    assert tidied({"method": "weights"}) == {"picture": "head"}
    assert tidied({"method": "weights", "picture": "head"}) == {}
    assert tidied({"method": "norms"}) == {}


def test_without_a_table_it_is_the_chosen_head_as_before(monkeypatch):
    monkeypatch.setattr(best_picture, "trusted", lambda _: None)
    at = opened("translate", hl_how=True)
    assert said(at, "picture") == ""
    assert not [each for each in at.button if each.key == "picture_back"]
    assert said(at, "word")  # what deleting costs is known all the same


@reverse
def test_each_checkpoint_has_its_own_best_map():
    at = opened("translate", hl_how=True, checkpoint="reverse", text="headlight")
    assert said(at, "picture") == best_picture.trusted("reverse") != best_picture.trusted("en-zh")
