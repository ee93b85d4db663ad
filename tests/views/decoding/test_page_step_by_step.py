"""Playback, quality hints and the swapped word, page by page through AppTest."""

from __future__ import annotations

import numpy as np
import pytest

from model.analysis.what_if.fork import Candidate, Step
from model.attribution.labelled_map import LabelledMap, merge_columns
from model.trace import Label
from model.translator import Translator
from tests.pages import markup, opened, reverse, sent, shipped, words
from viz.core.text import ENGLISH as STRINGS
from viz.views.step_by_step.page import Played, playback_payload
from viz.web.message import unpack_fine
from viz.widgets.errors import reported_step

SENTENCE = "Priya didn't see the red car."


def weights(data: dict, name: str) -> np.ndarray:
    return unpack_fine(data[name]).reshape(len(data["writes"]), -1)


@shipped
@pytest.mark.parametrize(
    ("how", "over", "expected_of"),
    [
        ("head", [], lambda maps: maps[1, 2]),
        ("mean", ["L1"], lambda maps: maps[1].mean(0)),
        ("mean", [], lambda maps: maps.mean((0, 1))),
        ("max", [], lambda maps: maps.max((0, 1))),
        ("max", ["L1 H2", "L0 H5"], lambda maps: np.maximum(maps[1, 2], maps[0, 5])),
    ],
)
def test_playback_sends_the_rows_of_the_chosen_heads(en_zh: Translator, how: str, over: list, expected_of) -> None:
    trace = en_zh.translate(SENTENCE, capture=True).trace
    data = sent(opened("step_by_step", text=SENTENCE, layer=1, head=2, combine=how, over=over))
    for name, kind in (("cross", "cross"), ("own", "decoder_self")):
        expected = expected_of(trace.weights[kind])
        np.testing.assert_allclose(weights(data, name), expected, atol=5e-5)
        assert np.abs(weights(data, name) - trace.map(kind, 0, 5)).max() > 1e-2
    assert [text for text, _ in data["reads"]] == [label.text for label in trace.tgt_inputs]
    assert [text for text, _ in data["writes"]] == [label.text for label in trace.tgt_outputs]
    assert (data["positions"], data["start"]) == (len(trace.src), 1)


@shipped
def test_whole_words_merge_the_english_and_leave_the_steps(en_zh: Translator) -> None:
    trace = en_zh.translate(SENTENCE, capture=True).trace
    at = opened("step_by_step", text=SENTENCE, layer=0, head=0)
    pieces = sent(at)
    merged = sent(at.toggle(key="words").set_value(True).run())
    assert [text for text, _ in merged["src"]][:2] == ["Priya", "did"]
    assert merged["writes"] == pieces["writes"]
    assert len(merged["src"]) < len(pieces["src"])
    np.testing.assert_allclose(weights(merged, "cross").sum(axis=1), 1, atol=1e-3)
    expected = merge_columns(LabelledMap(trace.map("cross", 0, 0), trace.tgt_outputs, trace.src)).weights
    np.testing.assert_allclose(weights(merged, "cross"), expected, atol=5e-5)


@shipped
@pytest.mark.parametrize("sentence", ["Hello", " ".join(["The red car is mine and"] * 10), "</script><b>$x$"])
@pytest.mark.parametrize("beam", [1, 3])
def test_playback_shows_the_best_hypothesis_of_any_sentence(en_zh: Translator, sentence: str, beam: int) -> None:
    made = en_zh.translate(sentence, beam)
    data = sent(opened("step_by_step", text=sentence, beam=beam))
    assert [text for text, _ in data["writes"]][: len(made.tgt)] == [label.text for label in made.tgt]
    shares = [step["candidates"][step["written"]][1] for step in data["steps"]]
    assert np.log(shares[:3]) == pytest.approx(made.log_probs[:3], rel=1e-2)
    assert len(shares) == len(made.tgt) + made.finished


@reverse
def test_playback_and_swap_with_the_toy() -> None:
    data = sent(opened("step_by_step", checkpoint="reverse", text="abc123"))
    assert [text for text, _ in data["src"]] == [*"abc123", "<eos>"]
    at = opened("swap", checkpoint="reverse", text="abc123")
    assert at.info[0].value == STRINGS["swap.letters"]
    assert not [box for box in at.text_input if box.key == "swap_with"]


def tiny(written: int, cross: np.ndarray) -> Played:
    candidates = tuple(Candidate(token, f"▁{token}", 0.3 - token / 10) for token in range(2))
    steps = [Step(Candidate(written, "▁9", 0.05), candidates, 1.0)] * 2
    bos, src = Label("<bos>"), (Label("a", 0, 0, 1), Label("<eos>"))
    return Played(steps, src, (bos, Label("甲", 0)), (Label("甲", 0), Label("<eos>")), cross, np.eye(2), 2, 8, 4)


def test_a_written_token_beyond_the_candidates_stands_last() -> None:
    step = playback_payload(tiny(9, np.eye(2)))["steps"][0]
    assert (step["candidates"][-1], step["written"], step["best"]) == (["9", 0.05], 2, 2)
    step = playback_payload(tiny(1, np.eye(2)))["steps"][0]
    assert (len(step["candidates"]), step["written"]) == (2, 1)


def test_weights_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"cross has shape \(2, 3\)"):
        tiny(1, np.ones((2, 3)))


@pytest.mark.parametrize(
    ("value", "step"),
    [("3", 3), (3, 3), ("0", None), ("9", None), ("-1", None), ("x", None), ("２", None), (True, None), (None, None)],
)
def test_only_a_step_that_exists_is_believed(value: object, step: int | None) -> None:
    assert reported_step(value, 5) == step


@shipped
def test_a_near_word_is_put_in_and_both_translations_stand_there(en_zh: Translator) -> None:
    sentence = "The red car is mine."
    at = opened("swap", text=sentence)
    at.selectbox(key="swap_word").set_value(1).run()
    near = at.button_group(key="near")
    nearest = near.options[0].split()[0]
    assert STRINGS["swap.example"].format(word=nearest) in words(at)
    assert f">{nearest}</mark>" in markup(at)
    assert not at.text_input(key="swap_with").value
    at = near.set_value(near.options[0].split()[0]).run()
    assert not at.exception
    new = at.text_input(key="swap_with").value
    assert new == near.options[0].split()[0]
    assert new != "red"
    other = en_zh.translate(sentence.replace("red", new))
    assert f"{np.exp(np.mean(other.log_probs)):.0%}" in words(at)
    assert f">{new}</mark>" in markup(at)
    assert STRINGS["swap.example"].format(word=nearest) not in words(at)
    at.button[-1].click().run()
    assert at.session_state["text"] == sentence.replace("red", new)


@shipped
def test_a_word_in_pieces_has_no_near_words_but_typing_works() -> None:
    at = opened("swap", text="Priya moved to Ljubljana.", swap_word=3)
    assert STRINGS["swap.pieces"].format(word="Ljubljana") in words(at)
    assert "near" not in at.session_state
    assert "<mark" not in markup(at)
    at.text_input(key="swap_with").set_value("<img src=x>").run()
    assert "<img" not in markup(at)
    assert "Priya moved to <mark" in markup(at)


@shipped
def test_the_same_word_changes_nothing_and_one_too_long_is_one_sentence() -> None:
    at = opened("swap", text="The red car.", swap_word=1, swap_with="red")
    assert STRINGS["swap.unchanged"] in words(at)
    at.text_input(key="swap_with").set_value("word " * 2000).run()
    assert markup(at).count('role="alert"') == 1
    assert opened("swap", text="?!").info[0].value == STRINGS["swap.no_words"]
