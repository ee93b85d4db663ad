"""Forks: where translations part, who voted, and how a fork travels in a link."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from model.analysis.what_if.beam_tree import BeamTree, grown_tree
from model.analysis.what_if.fork import Fork, best_rival, decoding_steps, fork_between, fork_votes, prefix_ids
from model.errors import EmptySentenceError
from model.own.decoding.stepping import looping
from model.own.network.config import NEVER_WRITTEN
from model.own.text.vocab import BOS_ID, EOS_ID, PAD_ID, UNK_ID
from model.translator import Translator
from model.writing import LENGTH_ALPHA, Expansion, Hypothesis
from viz.charts.deletion import bars_figure
from viz.charts.marked import Version, versions_html
from viz.core.numbers import signed
from viz.core.session import token_code, token_ids
from viz.core.theme import DARK, LIGHT
from viz.views.beam.page import tree_payload
from viz.views.fork.page import picked_candidate

TEXT = "Tom saw a bird."


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_forced_prefix_of_the_own_translation_changes_nothing(translator: Translator, share: float) -> None:
    own = translator.translate(TEXT)
    prefix = own.tgt_ids[: int(share * len(own.tgt_ids))]
    forced = translator.translate(TEXT, prefix=prefix)
    assert (forced.tgt_ids, forced.log_probs) == (own.tgt_ids, own.log_probs)
    assert fork_between(own, forced) is None


def test_a_forced_ending_ends_the_translation_and_its_maps_are_its_own(translator: Translator) -> None:
    own = translator.translate(TEXT)
    forced = translator.translate(TEXT, capture=True, prefix=(*own.tgt_ids[:2], EOS_ID))
    assert forced.tgt_ids == own.tgt_ids[:2]
    assert forced.finished
    assert forced.trace is not None
    same = translator.trace(TEXT, forced.text)
    if same.tgt_ids == forced.tgt_ids:
        np.testing.assert_allclose(forced.trace.cross, same.trace.cross, atol=1e-6)
    fork = fork_between(own, forced)
    assert fork is not None
    assert (fork.place, fork.written, fork.other) == (2, own.tgt_ids[2], EOS_ID)


def test_a_fork_at_a_rejected_candidate_parts_there_and_the_votes_add_up(translator: Translator) -> None:
    own = translator.translate(TEXT)
    steps = decoding_steps(translator, TEXT, own.tgt_ids, 5)[: len(own.log_probs)]
    rival = best_rival(steps[1])
    rejected = [each for each in steps[1].candidates if each.id != own.tgt_ids[1]]
    assert rival.probability == max(each.probability for each in rejected)
    call = Fork(1, own.tgt_ids[1], rival.id)
    forked = translator.translate(TEXT, prefix=(own.tgt_ids[0], rival.id))
    assert fork_between(own, forked) == call
    votes = fork_votes(translator, TEXT, own.tgt_ids[: call.place], call.written, call.other)
    _, src_ids = translator.encode_source(TEXT)
    with torch.inference_mode():
        logits = translator.model(src_ids, torch.tensor([[BOS_ID, *own.tgt_ids[: call.place]]]))[0, -1]
    assert votes.difference == pytest.approx(float(logits[call.written] - logits[call.other]), abs=1e-4)
    assert votes.total == pytest.approx(votes.difference, abs=1e-4)


def test_unknown_characters_of_a_prefix_are_named_once(translator: Translator) -> None:
    ids, unknown = prefix_ids(translator, translator.translate(TEXT).text)
    assert ids
    assert unknown == ()
    assert prefix_ids(translator, "😀ы😀")[1] == ("😀", "ы")


def test_a_code_holds_for_its_own_sentence_only() -> None:
    code = token_code((45, 7, EOS_ID), "a")
    assert token_ids(code, "a", 50, 9, EOS_ID, NEVER_WRITTEN) == (45, 7, EOS_ID)
    assert token_ids(code, "b", 50, 9, EOS_ID, NEVER_WRITTEN) == ()
    assert token_code((), "a") == ""


@pytest.mark.parametrize("ids", [(45, 50), (2, 45), (0, 45), (1,), (3,), (4,) * 10])
def test_a_code_that_no_model_could_have_written_is_ignored(ids: tuple[int, ...]) -> None:
    assert token_ids(token_code(ids, "a"), "a", 50, 9, EOS_ID, NEVER_WRITTEN) == ()


@pytest.mark.parametrize("code", ["", "45.7", "zzzzzzzz.4", "<script>", "e8b7be43.", "e8b7be43.-4", "e8b7be43.4.x"])
def test_a_damaged_code_is_ignored(code: str) -> None:
    assert token_ids(code, "a", 50, 9, EOS_ID, NEVER_WRITTEN) == ()


def test_a_message_can_pick_listed_candidates_only(translator: Translator) -> None:
    steps = decoding_steps(translator, TEXT, translator.translate(TEXT).tgt_ids, 5)
    known = steps[1].candidates[3].id
    assert picked_candidate(known, steps[1]) == known
    for wrong in (None, -5, True, str(known), float(known), {"id": known}):
        assert picked_candidate(wrong, steps[1]) is None


def test_versions_are_literal_and_the_difference_is_marked() -> None:
    page = versions_html([Version("<i>", "a<b>c", (1, 4), "x"), Version("t", "a", (1, 1), "")], LIGHT)
    assert "<i>" not in page
    assert "&lt;b&gt;</mark>c" in page
    assert "■</mark>" in page
    assert "<mark" not in versions_html([Version("t", "a", None, "")], DARK)


def test_vote_figures_draw_the_given_numbers_with_labels_inert() -> None:
    bars = bars_figure(["<i>", "b"], np.array([1.0, -0.5]), DARK, ["<i>\n1", "b"], pitch=100)
    assert list(bars.data[0].y) == [1.0, -0.5]
    assert bars.data[0].customdata[0] == "&lt;i&gt;<br>1"
    assert list(bars.layout.xaxis.ticktext) == ["&lt;i&gt;", "b"]
    with pytest.raises(ValueError, match="2 names"):
        bars_figure(["a", "b"], np.zeros(3), LIGHT, ["", ""], pitch=100)


def test_votes_are_written_with_their_sign() -> None:
    assert [signed(value) for value in (0.251, -0.251, -0.001)] == ["+0.25", "−0.25", "0.00"]
    assert signed(-0.00126, 4) == "−0.0013"


SENTENCE = "Tom didn't see the red car."


def next_token(translator: Translator, ids: tuple[int, ...]) -> list[float]:
    """Probabilities of the next token after ids, from a pass of its own."""
    _, src_ids = translator.encode_source(SENTENCE)
    with torch.inference_mode():
        return translator.model(src_ids, torch.tensor([[BOS_ID, *ids]]))[0, -1].double().softmax(-1).tolist()


@pytest.fixture(scope="module")
def ids(translator: Translator) -> tuple[int, ...]:
    return tuple(token.id for token in translator.tgt_tokenizer.encode("汤姆没看见红车。"))


def test_each_step_holds_the_five_most_probable_tokens(translator: Translator, ids: tuple[int, ...]) -> None:
    steps = decoding_steps(translator, SENTENCE, ids)
    assert len(steps) == len(ids) + 1
    for row, step in enumerate(steps):
        shares = next_token(translator, ids[:row])
        allowed = [token for token in range(len(shares)) if token not in {PAD_ID, BOS_ID, UNK_ID}]
        best = sorted(allowed, key=lambda token: -shares[token])[:5]
        assert [candidate.id for candidate in step.candidates] == best
        assert [candidate.probability for candidate in step.candidates] == pytest.approx(
            [shares[t] for t in best], rel=1e-4
        )
        assert step.entropy == pytest.approx(-sum(share * math.log(share) for share in shares), rel=1e-4)


def test_what_was_written_has_its_own_probability(translator: Translator, ids: tuple[int, ...]) -> None:
    steps = decoding_steps(translator, SENTENCE, ids)
    assert [step.written.id for step in steps] == [*ids, EOS_ID]
    for row, step in enumerate(steps):
        assert step.written.probability == pytest.approx(next_token(translator, ids[:row])[step.written.id], rel=1e-4)
        later = next_token(translator, ids[: row + 1] if row < len(ids) else ids[:-1])[step.written.id]
        assert step.written.probability != pytest.approx(later, rel=1e-4)  # a row beside it would show


@pytest.mark.parametrize("beam", [1, 3])
def test_the_steps_of_a_translation_are_its_own_probabilities(translator: Translator, beam: int) -> None:
    made = translator.translate(SENTENCE, beam)
    steps = decoding_steps(translator, SENTENCE, made.tgt_ids)
    found = [math.log(step.written.probability) for step in steps]
    assert found[: len(made.log_probs)] == pytest.approx(made.log_probs, abs=1e-4)
    if beam == 1:
        for place, step in enumerate(steps[: len(made.log_probs)]):
            first = next(each for each in step.candidates if each.id not in looping(made.tgt_ids[:place]))
            assert first.id == step.written.id, "the most probable token that is no loop"


def test_a_blank_sentence_has_no_steps(translator: Translator) -> None:
    with pytest.raises(EmptySentenceError):
        decoding_steps(translator, "  ", (7,))


BEAM_TEXT = "I love you."


def hypothesis(ids: str, *log_probs: float, finished: bool = False) -> Hypothesis:
    return Hypothesis(tuple(ord(letter) for letter in ids), log_probs, finished)


@pytest.fixture
def overtaken_tree() -> tuple[BeamTree, Hypothesis]:
    """“a” starts better than “b”, but “by” finishes first."""
    winner = hypothesis("by", -0.7, -0.2, -0.1, finished=True)
    tree = BeamTree(EOS_ID, alpha=0.0)
    first = [hypothesis("a", -0.5), hypothesis("b", -0.7)]
    tree.watch(Expansion([], first, [0, 0], [hypothesis("c", -3.0)]))
    second = [hypothesis("by", -0.7, -0.2), hypothesis("ax", -0.5, -1.5)]
    tree.watch(Expansion([], second, [1, 0], [hypothesis("az", -0.5, -4.0)]))
    tree.watch(Expansion([winner, hypothesis("ax", -0.5, -1.5, -0.5, finished=True)], [], [], []))
    return tree, winner


def test_the_better_start_that_lost_is_found_with_what_became_of_it(
    overtaken_tree: tuple[BeamTree, Hypothesis],
) -> None:
    tree, winner = overtaken_tree
    lost = tree.lost_lead(winner)
    assert tree.overtaken(winner) == 0
    assert lost is not None
    assert lost.rival.hypothesis == hypothesis("a", -0.5)
    assert lost.winner_start.score == pytest.approx(-0.7)
    assert lost.best_end is not None
    assert lost.best_end.score == pytest.approx(-2.5)
    assert lost.last_kept == 1


def test_a_winner_that_always_led_overtook_nobody(overtaken_tree: tuple[BeamTree, Hypothesis]) -> None:
    tree = BeamTree(EOS_ID, alpha=0.0)
    tree.watch(Expansion([], [hypothesis("a", -0.1), hypothesis("b", -0.7)], [0, 0], []))
    winner = hypothesis("a", -0.1, -0.1, finished=True)
    tree.watch(Expansion([winner], [], [], []))
    assert tree.overtaken(winner) is None
    assert tree.lost_lead(winner) is None


@pytest.mark.parametrize("beam", [2, 5])
def test_the_best_path_is_what_translate_writes(translator: Translator, beam: int) -> None:
    tree, found = grown_tree(translator, BEAM_TEXT, beam)
    expected = translator.translate(BEAM_TEXT, beam)
    path = [tree.nodes[place] for place in tree.path(found[0])]
    written = (*expected.tgt_ids, EOS_ID) if expected.finished else expected.tgt_ids
    assert tuple(node.token for node in path) == written
    assert path[-1].hypothesis.log_probs == pytest.approx(expected.log_probs, abs=1e-5)
    assert [node.depth for node in path] == list(range(len(path)))
    assert path[-1].score == max(hypothesis.score(LENGTH_ALPHA) for hypothesis in found)


def test_every_node_continues_its_parent_and_no_step_keeps_more_than_the_beam(translator: Translator) -> None:
    tree, _ = grown_tree(translator, BEAM_TEXT, 3)
    for node in tree.nodes:
        before = tree.nodes[node.parent].hypothesis if node.parent >= 0 else Hypothesis((), (), finished=False)
        assert node.hypothesis.log_probs[:-1] == before.log_probs
        assert node.parent < 0 or tree.nodes[node.parent].fate == "kept"
    for depth in {node.depth for node in tree.nodes}:
        fates = [node.fate for node in tree.nodes if node.depth == depth]
        assert fates.count("kept") <= 3
        assert len(fates) <= 6


def test_the_payload_ranks_what_can_be_opened_and_marks_what_is_shown(translator: Translator) -> None:
    tree, found = grown_tree(translator, BEAM_TEXT, 4)
    tokenizer = translator.tgt_tokenizer
    data = tree_payload(tree, found, tokenizer.decode, tokenizer.piece, found[1].ids)
    nodes, hypotheses = data["nodes"], data["hypotheses"]
    assert sorted(node["rank"] for node in nodes if node["rank"] >= 0) == list(range(len(found)))
    assert [each["shown"] for each in hypotheses] == [each.ids == found[1].ids for each in found]
    scores = [each["score"] for each in hypotheses]
    assert scores == sorted(scores, reverse=True)
    assert data["won"] == tree.path(found[0])
    assert hypotheses[0]["text"] == translator.translate(BEAM_TEXT, 4).text
