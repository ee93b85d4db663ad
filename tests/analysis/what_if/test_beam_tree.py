"""Everything that beam search looked at, against what it returns."""

from __future__ import annotations

import pytest

from model.analysis.what_if.beam_tree import BeamTree, grown_tree
from model.own.text.vocab import EOS_ID
from model.translator import Translator
from model.writing import LENGTH_ALPHA, Expansion, Hypothesis
from viz.views.beam.page import tree_payload

TEXT = "I love you."


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
    tree, found = grown_tree(translator, TEXT, beam)
    expected = translator.translate(TEXT, beam)
    path = [tree.nodes[place] for place in tree.path(found[0])]
    written = (*expected.tgt_ids, EOS_ID) if expected.finished else expected.tgt_ids
    assert tuple(node.token for node in path) == written
    assert path[-1].hypothesis.log_probs == pytest.approx(expected.log_probs, abs=1e-5)
    assert [node.depth for node in path] == list(range(len(path)))
    assert path[-1].score == max(hypothesis.score(LENGTH_ALPHA) for hypothesis in found)


def test_every_node_continues_its_parent_and_no_step_keeps_more_than_the_beam(translator: Translator) -> None:
    tree, _ = grown_tree(translator, TEXT, 3)
    for node in tree.nodes:
        before = tree.nodes[node.parent].hypothesis if node.parent >= 0 else Hypothesis((), (), finished=False)
        assert node.hypothesis.log_probs[:-1] == before.log_probs
        assert node.parent < 0 or tree.nodes[node.parent].fate == "kept"
    for depth in {node.depth for node in tree.nodes}:
        fates = [node.fate for node in tree.nodes if node.depth == depth]
        assert fates.count("kept") <= 3
        assert len(fates) <= 6


def test_the_payload_ranks_what_can_be_opened_and_marks_what_is_shown(translator: Translator) -> None:
    tree, found = grown_tree(translator, TEXT, 4)
    tokenizer = translator.tgt_tokenizer
    data = tree_payload(tree, found, tokenizer.decode, tokenizer.piece, found[1].ids)
    nodes, hypotheses = data["nodes"], data["hypotheses"]
    assert sorted(node["rank"] for node in nodes if node["rank"] >= 0) == list(range(len(found)))
    assert [each["shown"] for each in hypotheses] == [each.ids == found[1].ids for each in found]
    scores = [each["score"] for each in hypotheses]
    assert scores == sorted(scores, reverse=True)
    assert data["won"] == tree.path(found[0])
    assert hypotheses[0]["text"] == translator.translate(TEXT, 4).text
