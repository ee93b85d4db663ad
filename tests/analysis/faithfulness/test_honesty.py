"""One token's evidence: cases worked by hand."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
import torch

from model.analysis.faithfulness.corpus import word_maps
from model.analysis.faithfulness.deletion import (
    LeftOut,
    by_words,
    deletion_costs,
    leave_one_out,
    source_words,
    written_without,
)
from model.analysis.faithfulness.evidence import evidence, telling_token
from model.analysis.faithfulness.once import Once
from model.analysis.faithfulness.verdict import honesty, honesty_of_all, honesty_of_words, top_words
from model.analysis.what_if.fork import decoding_steps
from model.attribution.methods import METHODS, attribution_maps
from model.folders import available
from model.own.text.vocab import BOS_ID, EOS_ID
from model.passage import Ask, Slope
from model.trace import Label
from model.translator import Translator

SENTENCE = "Tom didn't see Ljubljana in Boston."
on_reverse = pytest.mark.skipif("reverse" not in available(), reason="the toy checkpoint is not there")


def left_out(costs: list[list[float]]) -> LeftOut:
    """Costs [W, T] as if they had been measured."""
    words = tuple(Label(f"w{n}", n) for n in range(len(costs)))
    return LeftOut(words, np.zeros(len(costs[0])), np.array(costs, dtype=np.float32))


def hidden_by_hand(translator: Translator, source: str, ids: tuple[int, ...], places: list[int]) -> np.ndarray:
    """Log-probabilities where hooks set the scores of some source tokens to -inf, wherever they can be attended to."""
    model = translator.model
    _, src = translator.encode_source(source)

    def hide(_module, _inputs, scores):
        scores = scores.clone()
        scores[..., places] = -torch.inf
        return scores

    blocks = [layer.self_attn for layer in model.encoder.layers] + [layer.cross_attn for layer in model.decoder.layers]
    handles = [block.masked_scores_hook.register_forward_hook(hide) for block in blocks]
    try:
        logits = model(src, torch.tensor([[BOS_ID, *ids]]))[0].float().log_softmax(-1)
    finally:
        for handle in handles:
            handle.remove()
    return logits.gather(1, torch.tensor([*ids, EOS_ID])[:, None])[:, 0].detach().numpy()


@pytest.fixture
def forced(translator):
    return translator.trace(SENTENCE, "汤姆在Boston没看见。")


def test_one_batch_of_deletions_is_each_of_them_by_hand(translator, forced):
    found = leave_one_out(translator, forced)
    assert [word.text for word in found.words] == ["Tom", "did", "n't", "see", "Ljubljana", "in", "Boston", "."]
    whole = hidden_by_hand(translator, SENTENCE, forced.tgt_ids, [])
    np.testing.assert_allclose(found.before, whole, atol=1e-5)
    np.testing.assert_allclose(found.before, forced.log_probs, atol=1e-5)
    for word, costs in zip(found.words, found.costs, strict=True):
        places = [place for place, label in enumerate(forced.src) if label.word == word.word]
        np.testing.assert_allclose(
            costs, whole - hidden_by_hand(translator, SENTENCE, forced.tgt_ids, places), atol=1e-5
        )
    pieces = [place for place, label in enumerate(forced.src) if label.word == found.words[4].word]
    assert len(pieces) > 1  # a word of several tokens goes as a whole
    first = whole - hidden_by_hand(translator, SENTENCE, forced.tgt_ids, pieces[:1])
    assert np.abs(found.costs[4] - first).max() > 1e-4


def test_a_batch_is_its_rows_one_by_one_however_it_is_cut(translator, forced, monkeypatch):
    sets = np.random.default_rng(0).random((7, len(source_words(forced.src)))) < 0.4
    together = deletion_costs(translator, forced, sets)
    alone = np.concatenate([deletion_costs(translator, forced, each[None]) for each in sets])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    monkeypatch.setattr("model.own.branches.TOKENS_AT_ONCE", 1)
    np.testing.assert_allclose(together, deletion_costs(translator, forced, sets), atol=1e-5)
    assert np.abs(together - together[::-1]).max() > 1e-3


def test_deleting_no_word_costs_nothing_and_wrong_shapes_are_refused(translator, forced):
    n_words = len(source_words(forced.src))
    assert np.abs(deletion_costs(translator, forced, np.zeros((2, n_words), dtype=bool))).max() < 1e-6
    with pytest.raises(ValueError, match=f"the source has {n_words} words"):
        written_without(translator, forced, np.zeros((2, n_words + 1), dtype=bool))
    with pytest.raises(ValueError, match="tokens"):
        by_words(np.zeros((2, 3)), forced.trace.src)


def test_marks_of_a_word_are_those_of_its_pieces():
    src = (Label("New", 0), Label("##er", 0), Label("car", 1), Label("<eos>"))
    maps = np.array([[[0.1, 0.2, 0.3, 0.4], [0.5, -0.7, 0.1, 0.1]]])
    np.testing.assert_allclose(by_words(maps, src), [[[0.3, 0.3], [-0.2, 0.1]]])
    np.testing.assert_allclose(by_words(maps, src, "gradient"), [[[0.15, 0.3], [0.6, 0.1]]])
    np.testing.assert_allclose(by_words(maps, src, "scores"), [[[0.15, 0.3], [-0.1, 0.1]]])


def brute_force(costs: np.ndarray, rows: np.ndarray) -> tuple[float, list[float]]:
    """Cost of a map and of all its renamings, loop by loop."""
    n_words, n_tokens = costs.shape
    found = []
    for renaming in permutations(range(n_words)):
        total = 0.0
        for t in range(n_tokens):
            top = [w for w in range(n_words) if rows[t, w] == rows[t].max()]
            total += sum(costs[renaming[w], t] for w in top) / len(top)
        found.append(total / n_tokens)
    return found[0], sorted(found)


def test_honesty_is_what_trying_every_renaming_finds():
    generator = np.random.default_rng(1)
    costs, rows = generator.normal(size=(5, 4)).astype(np.float32), generator.random((4, 5))
    rows[2, :] = 0.5  # every word is equally top
    cost, random = brute_force(costs, rows)
    found = honesty(left_out(costs.tolist()), rows)
    assert found.cost == pytest.approx(cost)
    np.testing.assert_allclose(found.random, random, atol=1e-6)
    assert found.is_exact
    assert found.p_value == pytest.approx(np.mean([each >= cost - 1e-6 for each in random]))
    assert found.beaten == pytest.approx(np.mean([each < cost - 1e-6 for each in random]))
    assert found.best == pytest.approx(costs.max(axis=0).mean())


@pytest.mark.parametrize("n_words", [5, 9])
def test_verdicts_follow_what_a_map_marks(n_words):
    costs = left_out((2 * np.eye(n_words)).tolist())
    right, wrong = np.eye(n_words), np.roll(np.eye(n_words), 1, axis=1)
    assert honesty(costs, right).verdict == "green"
    assert honesty(costs, right).cost == pytest.approx(2)
    assert honesty(costs, wrong).verdict == "red"
    assert honesty(costs, np.ones((n_words, n_words))).verdict == "red"  # a map that marks nothing
    assert honesty(costs, right).random.tolist() == honesty(costs, right).random.tolist()


def test_a_map_that_is_right_about_some_words_only_is_amber():
    partly = np.roll(np.eye(5), 1, axis=1)
    partly[:2] = np.eye(5)[:2]
    found = honesty(left_out(np.eye(5).tolist()), partly)
    assert 0.05 < found.p_value < 0.5
    assert found.verdict == "amber"


def test_staring_at_one_dear_word_is_not_yet_honest():
    costs = np.zeros((6, 12))
    costs[3] = 1.0
    stare = np.zeros((12, 6))
    stare[:, 3] = 1
    found = honesty(left_out(costs.tolist()), stare)
    assert found.beaten == pytest.approx(5 / 6)  # one word of six is the dear one
    assert found.verdict == "amber"


def test_short_sentences_get_no_verdict(translator):
    for n_words in (0, 1, 2, 3):
        words = tuple(Label(f"w{n}", n) for n in range(n_words))
        found = honesty(LeftOut(words, np.zeros(2), np.ones((n_words, 2), np.float32)), np.ones((2, n_words)))
        assert (found.can_tell, found.verdict) == (False, "short")
    translation = translator.translate("I love you.", capture=True)
    assert honesty_of_words(translator, translation, np.arange(4.0)).verdict == "short"


def test_every_head_at_once_is_each_alone(translator, forced):
    found, maps = leave_one_out(translator, forced), by_words(forced.trace.cross, forced.trace.src)
    every = honesty_of_all(found, maps)
    for layer, head in np.ndindex(*maps.shape[:2]):
        one = honesty(found, maps[layer, head])
        assert every.cost[layer, head] == pytest.approx(one.cost)
        assert every.beaten[layer, head] == pytest.approx(one.beaten)
        assert every.verdict[layer, head] == one.verdict
    costs = [every.cost[place] for place in every.order()]
    assert costs == sorted(costs, reverse=True)
    with pytest.raises(ValueError, match="words"):
        honesty(found, np.ones((3, 2)))


def test_words_deleted_together_cost_what_the_batch_says(translator, forced):
    n_words = len(source_words(forced.src))
    importance = np.arange(n_words, dtype=float)
    found = honesty_of_words(translator, forced, importance)
    own = np.zeros((1, n_words), dtype=bool)
    own[0, -found.deleted :] = True
    costs = deletion_costs(translator, forced, own)[0]
    assert found.cost == pytest.approx(costs.sum(), abs=1e-4)
    assert honesty_of_words(translator, forced, importance, token=1).cost == pytest.approx(costs[1], abs=1e-4)
    assert (found.deleted, found.random.size, found.is_exact) == (2, 28, True)  # 8 choose 2


def test_shares_of_equally_top_words_add_up():
    np.testing.assert_allclose(top_words(np.array([[1, 3, 3], [2, 1, 0]])), [[0, 0.5, 0.5], [1, 0, 0]])


@on_reverse
@pytest.mark.parametrize("word", ["headlight", "sequence", "abc123"])
def test_on_reverse_the_anti_diagonal_is_green_and_the_diagonal_is_not(word):
    translator = Translator.from_checkpoint("reverse", "cpu")
    translation = translator.translate(word, capture=True)
    assert translation.text == word[::-1]
    found, src = leave_one_out(translator, translation), translation.trace.src
    anti = np.eye(len(word))[::-1]
    every = honesty_of_all(found, by_words(translation.trace.cross, src))
    agrees = (by_words(translation.trace.cross, src)[:, :, : len(word)].argmax(-1) == anti.argmax(-1)).mean(-1)
    best = np.unravel_index(agrees.argmax(), agrees.shape)
    assert agrees[best] > 0.8
    assert every.verdict[best] == "green"
    assert honesty(found, anti).verdict == "green"
    assert honesty(found, np.roll(anti, 2, axis=1)).verdict != "green"


@pytest.mark.parametrize(
    ("costs", "marks", "found", "word", "others"),
    [
        ([0.1, 5.0, 0.4], [0, 9, 1], "clear", 1, ()),
        ([0.1, 5.0, 0.4], [3, 1, 1], "split", 1, ()),  # the map names another word
        ([3.0, 5.0, 0.4], [0, 9, 1], "several", 1, (0,)),
        ([3.0, 5.0, 0.4], [9, 1, 1], "several", 1, (0,)),  # the map names the other of both that matter
        ([3.0, 5.0, 0.4], [1, 1, 9], "split", 1, (0,)),
        ([0.1, 0.4, -2.0], [0, 9, 1], "weak", 1, ()),
        ([0.4, 0.45, 0.4], [0, 0, 9], "weak", 1, (0, 2)),
    ],
)
def test_what_is_found_in_cases_worked_by_hand(costs, marks, found, word, others):
    said = evidence(np.array(costs), np.array(marks))
    assert (said.found, said.word, said.others) == (found, word, others)


def test_how_many_times_dearer_a_word_is():
    assert evidence(np.array([0.5, 5.0, 1.0]), np.zeros(3)).times == pytest.approx(5)
    assert evidence(np.array([-0.5, 5.0]), np.zeros(2)).times == math.inf
    assert evidence(np.array([5.0]), np.zeros(1)).times == math.inf
    for costs, marks in (([], []), ([1.0, 2.0], [1.0])):
        with pytest.raises(ValueError, match="same words"):
            evidence(np.array(costs), np.array(marks))


def test_the_token_to_begin_with_is_a_pronoun_or_the_least_sure_word():
    tokens = [Label("动物", 0), Label("太", 1), Label("它", 2), Label("。", 3), Label("<eos>")]
    assert telling_token(tokens, [-0.1, -2.0, -0.2, -9.0, -9.0]) == 2
    without = [tokens[0], tokens[1], tokens[3], tokens[4]]
    assert telling_token(without, [-0.1, -2.0, -9.0, -9.0]) == 1
    assert telling_token(tokens[3:], [-1.0, -1.0]) is None
    assert telling_token(tokens, []) is None


class Counting:
    """A model that notes what it is asked."""

    def __init__(self, model) -> None:
        self.model, self.asked, self.rows = model, [], 0

    def __getattr__(self, name):
        return getattr(self.model, name)

    def forced(self, ids, ask):
        self.asked.append(ask)
        return self.model.forced(ids, ask)

    def slopes(self, ids, slope):
        self.asked.append(slope)
        return self.model.slopes(ids, slope)

    def log_probs(self, ids, gains=(), hidden=None, way="mask", *, last=False):
        self.rows += len(hidden)
        return self.model.log_probs(ids, gains, hidden, way, last=last)


@pytest.fixture(scope="module")
def written(translator):
    return translator.trace("The cat drinks milk .", "猫喝牛奶。")


def test_every_sort_of_map_is_what_the_model_gives_alone(translator, written):
    once = Once(translator)
    for name, sort in METHODS.items():
        if sort.slow:
            continue
        alone, shared = attribution_maps(translator, written, name), attribution_maps(once, written, name)
        for kind in alone:
            np.testing.assert_allclose(shared[kind], alone[kind], atol=1e-5, err_msg=name)


def test_all_maps_take_one_plain_pass_one_of_gradients_and_no_set_of_words_twice(translator, written):
    counting = Counting(translator)
    _, seconds = word_maps(counting, written, slow=False)
    passes = [each for each in counting.asked if isinstance(each, Ask)]
    assert [ask.gradient for ask in passes] == [None, "each"]
    assert len([each for each in counting.asked if isinstance(each, Slope)]) == 2
    words = len({label.word for label in written.src if not label.is_special})
    assert counting.rows == 2 * (1 + words)  # of leaving one out, and of silencing
    assert seconds["flow"] > 0.2 * seconds["alti"]  # what it did not compute again counts for it, too


def test_votes_shares_and_steps_of_a_translation_come_from_one_pass(translator, written):
    counting = Counting(translator)
    once = Once(counting)
    for name in ("votes", "alti", "flow", "norms"):
        attribution_maps(once, written, name)
    shared = decoding_steps(once, written.source, written.tgt_ids)
    assert len(counting.asked) == 1
    alone = decoding_steps(translator, written.source, written.tgt_ids)
    assert [step.written.id for step in shared] == [step.written.id for step in alone]
    for one, other in zip(shared, alone, strict=True):
        assert [each.id for each in one.candidates] == [each.id for each in other.candidates]
        probabilities = [[each.probability for each in step.candidates] for step in (one, other)]
        np.testing.assert_allclose(*probabilities, atol=1e-6)
        assert abs(one.entropy - other.entropy) < 1e-5


def test_rows_are_kept_apart_by_the_way_and_by_what_they_delete(translator, written):
    ids = translator.ids(written.source, written.tgt_ids)
    once = Once(translator)
    sets = np.random.default_rng(2).random((6, ids.src.shape[1])) < 0.4
    sets[:, -1] = False
    sets[3] = sets[0]
    for way in ("mask", "remove", "average", "silence"):
        for part in (slice(0, 3), slice(0, 6)):
            np.testing.assert_allclose(
                once.log_probs(ids, hidden=sets[part], way=way),
                translator.log_probs(ids, hidden=sets[part], way=way),
                atol=1e-5,
            )
    one, other = (once.log_probs(ids, hidden=sets, way=way) for way in ("mask", "average"))
    assert float((one - other).abs().max()) > 1e-3
