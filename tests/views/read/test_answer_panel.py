"""The answer for one token, and the picture that Translate opens on."""

from __future__ import annotations

import math
import re
from html import unescape

import numpy as np
import pytest

from model.analysis.faithfulness.deletion import costs_of_words, leave_one_out
from model.analysis.faithfulness.evidence import Evidence, evidence, told_by_deletion
from model.analysis.residual.votes import Votes
from model.analysis.what_if.mixing import mix
from model.analysis.what_if.verdict import SURE_TRACE, Doubt, Verdict, may_be_traceless
from model.attribution.methods import attribution_maps
from model.attribution.per_head import vote_maps
from model.passage import Ask
from model.trace import HeadRef, Label
from model.translator import Translator
from tests.pages import SENTENCE, choose, components, markup, opened, reverse, shipped, words
from viz.core import models
from viz.core.answers import what_if
from viz.core.answers.what_if import left_out
from viz.core.choice import tidied
from viz.core.session import Subject
from viz.core.text import ENGLISH as STRINGS
from viz.core.text import LANGUAGES, text
from viz.core.views import VIEWS
from viz.views.translate import page as best_picture
from viz.views.translate import panel
from viz.views.translate.panel import word_votes
from viz.web.message import unpack_coarse
from viz.widgets import verdict as line

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


def test_a_word_that_the_verdict_deletes_is_not_deleted_again_for_a_token(monkeypatch):
    about = Subject("I only said that she might possibly have been mistaken.", "en-zh")
    known = np.isfinite(what_if.word_traces(about).costs).all(1)
    tried, others = np.flatnonzero(known).tolist(), np.flatnonzero(~known).tolist()
    assert tried
    assert others
    asked, plain = [], Translator.log_probs

    def counted(*given, **how):
        asked.append(len(how["hidden"]))
        return plain(*given, **how)

    monkeypatch.setattr(Translator, "log_probs", counted)
    found = what_if.token_left_out(about, 1, (tried[0], others[0]))
    assert asked == [1]
    assert what_if.token_left_out(about, 2, (tried[0],))[tried[0]] != 0
    assert asked == [1], "nothing was left to be deleted"
    whole = left_out(about).costs[:, 1]
    assert found == pytest.approx(np.where(np.isin(np.arange(len(whole)), (tried[0], others[0])), whole, 0), abs=1e-4)


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


RATES = {
    "caught": 0.7,
    "false_alarms": 0.2,
    "right": 0.4,
    "bad": 0.1,
    "bad_right": 0.3,
    "sentences": 1000,
    "poor_below": 10.0,
    "judged": {"sentences": 120, "wrong": 30, "caught": 0.8, "false_alarms": 0.15},
    "chosen_on": {"false_alarms": 0.12},
}


@pytest.fixture
def warned(monkeypatch: pytest.MonkeyPatch):
    """The checkpoint's table of rates is this; None for none."""

    def say(threshold: float | None) -> None:
        found = None if threshold is None else {"threshold": threshold, "joint_threshold": threshold, **RATES}
        monkeypatch.setattr(models, "load_warning", lambda *_: (found, ""))
        models.forget()

    yield say
    monkeypatch.undo()
    models.forget()


def levels(at) -> list[str]:
    return re.findall(r'data-judged="(\w+)"', markup(at))


def test_a_sure_translation_is_good_and_below_the_threshold_it_is_doubted(en_zh: Translator, warned) -> None:
    warned(0.0)
    calm = opened("translate", text="I love you.", hl_how=True)
    assert levels(calm) == ["good"]
    assert "doubted 70% of the poor translations" in words(calm)
    assert "20% of the others" in words(calm)
    assert "40% were poor" in words(calm)
    assert "of 30 translations that were wrong in meaning the verdict doubted 80%, of 90 right ones 15%" in words(calm)
    assert "of their right translations 12% are doubted" in words(calm)
    warned(1.0)
    worried = opened("translate", text="I love you.", hl_how=True)
    assert levels(worried) == ["doubtful"]
    assert "sure on average" in words(worried)
    warned(None)
    assert text("en", "quality.no_rates") in words(opened("translate", text="I love you.", hl_how=True))


def test_what_cannot_be_read_back_is_named(warned, monkeypatch) -> None:
    """The shipped checkpoint has a backward model, so that the threshold is the joint one, whatever confidence says."""
    warned(0.3)
    assert levels(opened("translate", text="I love you.")) == ["good"]
    assert "times the mean probability of an English word piece read back" in words(
        opened("translate", text="I love you.", hl_how=True)
    )
    monkeypatch.setattr(line, "read_back", lambda _: (-0.1, -12.0, -0.1, -0.1, -0.1))
    worried = opened("translate", text="I love you.")
    assert levels(worried) == ["good"], "one word of four is not enough for this threshold"
    warned(0.6)
    worried = opened("translate", text="I love you.")
    assert levels(worried) == ["doubtful"]
    assert "“love” cannot be read back from it" in words(worried)


@pytest.mark.parametrize("view", [name for name, spec in VIEWS.items() if "text" in spec.reads and spec.sentence])
def test_every_view_of_a_translation_says_what_is_wrong_and_names_it(view: str, monkeypatch) -> None:
    doubts = (
        Doubt("number", "70,000", "<b>7</b>"),
        Doubt("word", "boat"),
        Doubt("word", "bank"),
        Doubt("rare", "bank"),
    )
    monkeypatch.setattr(line, "verdict", lambda *_: Verdict(0.9, doubts))
    at = opened(view, text="I love you.")
    assert levels(at) == ["bad"]
    assert "70,000 became &lt;b&gt;7&lt;/b&gt;; “boat”, “bank” are not translated." in markup(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_said_in_either_language(language: str, monkeypatch) -> None:
    monkeypatch.setattr(line, "verdict", lambda *_: Verdict(0.3, (Doubt("low", share=0.3),)))
    at = opened("translate", text="I love you.", lang=language)
    assert text(language, "verdict.bad") in markup(at)
    assert text(language, "verdict.low", share="30%") in markup(at)


def test_a_sentence_that_is_not_looked_at_is_doubted_too(monkeypatch) -> None:
    seen = []

    def judged(translation, *_) -> Verdict:
        seen.append(translation.source)
        return Verdict(0.9, (Doubt("number", "7", "8"),) if "seven" not in translation.source else ())

    monkeypatch.setattr(line, "verdict", judged)
    at = opened("translate", text="I have seven cats. I love you. We have seven dogs.")
    assert set(seen) == {"I have seven cats.", "I love you.", "We have seven dogs."}
    assert levels(at) == ["good", "bad"]
    assert f"{text('en', 'verdict.part', n=2)}</strong> 7 became 8" in markup(at)


def test_letters_have_no_verdict() -> None:
    assert levels(opened("translate", checkpoint="reverse", text="headlight")) == []


PLACE = 3
MUTED = [HeadRef("cross", 4, 0), HeadRef("cross", 5, 2)]


@pytest.fixture(scope="module")
def en_zh_model() -> Translator:
    return Translator.from_checkpoint("en-zh")


def picture(at) -> dict:
    return next(each for each in components(at) if "tgt_words" in each)


def test_the_board_holds_what_each_heads_map_of_votes_adds_up_to(en_zh_model, translation):
    """One number on one screen: votes are above the vocabulary's mean, in the board as in the map."""
    heads = picture(opened("translate", step=PLACE + 1))["heads"]
    maps = vote_maps(en_zh_model, translation)["cross"]
    np.testing.assert_allclose(heads["board"]["kinds"][0]["values"], maps[:, :, PLACE].sum(-1), atol=1e-3)


def test_the_rows_are_what_each_head_looked_at_in_the_step_that_wrote_the_token(translation):
    heads = picture(opened("translate", step=PLACE + 1))["heads"]
    trace = translation.trace
    rows = unpack_coarse(heads["rows"]).reshape(*trace.cross.shape[:2], len(trace.src))
    np.testing.assert_allclose(rows, trace.cross[:, :, PLACE], atol=4e-3)


def test_without_muted_heads_the_translation_stands_there_with_what_is_new_and_the_tokens_chance(
    en_zh_model, translation
):
    code = ",".join(f"{head.code}:0" for head in MUTED)
    sent = picture(opened("translate", step=PLACE + 1, mix=code))["heads"]
    made = mix(en_zh_model, translation, dict.fromkeys(MUTED, 0.0))
    assert "".join(each["text"] for each in sent["mixed"]["tokens"]) == made.mixed.text
    assert [each["fresh"] for each in sent["mixed"]["tokens"]] == list(made.new)
    assert f"{math.exp(made.after[PLACE]):.0%}" in sent["mixed"]["title"]
    assert sent["board"]["muted"] == [list(head) for head in MUTED]


def test_with_every_head_at_its_gain_nothing_is_said_of_another_translation():
    sent = picture(opened("translate"))["heads"]
    assert sent["mixed"] is None
    assert sent["board"]["muted"] == []
    assert picture(opened("translate", mix="nonsense,x9.9:0"))["heads"]["mixed"] is None


def test_a_faded_head_is_no_muted_one():
    sent = picture(opened("translate", mix="c4.0:0.5"))["heads"]
    assert sent["board"]["muted"] == []
    assert sent["mixed"]["title"].startswith(STRINGS["writers.mixed"].partition("{")[0])


def test_the_board_is_about_another_token_once_that_is_chosen():
    at = opened("translate", step=1)
    first = picture(at)["heads"]["board"]["kinds"][0]["values"]
    assert picture(choose(opened("translate", step=6)))["heads"]["board"]["kinds"][0]["values"] != first
