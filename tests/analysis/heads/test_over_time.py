"""When heads found their jobs: courses made by hand, and a model that is asked at two points."""

from __future__ import annotations

import numpy as np
import pytest

from model.analysis.heads.ablation import ablate, ablate_ids
from model.analysis.heads.corpus import greedy_set, heads_of, muted_together, ratio, score_heads
from model.analysis.heads.over_time import changed_heads, found_at, importance_over_time, jobs, matched
from model.analysis.heads.table import load_head_table
from model.analysis.what_if.mixing import log_probs
from model.folders import available
from model.history import History, coded
from model.own.capture import HEADS_OUT, hook_name
from model.pairs import PairScores
from model.trace import KINDS, AttentionTrace, HeadRef, Label
from model.translator import Translator
from tests.analysis.strong import strong_heads

EXAMPLE = {
    "source": "a b c d",
    "target": "w x y z",
    "rows": {"decoder_self": ["<bos>", "w", "x", "y", "z"], "cross": ["<bos>", "w", "x", "y", "z"]},
    "columns": {"cross": ["a", "b", "c", "d", "<eos>"]},
}


def history(*maps: np.ndarray) -> History:
    """A history of encoder maps [H, S, S] of one layer, a point each."""
    n, size = len(maps), maps[0].shape[-1]
    by_kind = {"encoder_self": np.stack([coded(each[None]) for each in maps])}
    none = np.zeros(n)
    facts = {"examples": [EXAMPLE], "translations": [[""]] * n}
    assert size == 5
    return History(facts, np.arange(n), none, none, np.zeros((n, 2, 1, 1)), (by_kind,))


def test_a_head_has_found_its_job_once_it_stays_nearer_to_its_end():
    course = np.array([[0, 1, 0.5], [0.6, 0.5, 0.5], [0.4, 0.2, 0.5], [0.9, 0.3, 0.5], [1.0, 0.1, 0.52]])
    assert found_at(course).tolist() == [3, -1, -1]
    assert found_at(course, falls=True).tolist() == [-1, 1, -1]
    assert found_at(course, least=0.01).tolist() == [3, -1, 4]


def test_the_share_of_rows_is_that_of_what_the_head_does_in_the_end():
    previous = np.eye(5)[[0, 0, 1, 2, 3]]
    sink = np.eye(5)[[4, 4, 4, 4, 4]]
    half = np.eye(5)[[0, 0, 1, 4, 4]]
    found = jobs(
        history(np.stack([sink, previous]), np.stack([half, half]), np.stack([previous, sink])), "encoder_self"
    )
    assert found.names == [["offset", "sink"]]
    assert found.offset[0, 0] == -1
    np.testing.assert_allclose(found.shares[:, 0, 0], [0, 2 / 3, 1])
    np.testing.assert_allclose(found.shares[:, 0, 1], [0, 0.25, 1])


def test_importance_at_a_point_is_what_muting_costs_the_forced_targets(translator):
    examples = [{"source": "I love you.", "target": "我爱你。"}, {"source": "You love me.", "target": "你爱我。"}]
    found = importance_over_time([translator, translator], examples, "cross")
    sizes = translator.anatomy.kinds["cross"]
    assert found.shape == (2, sizes.layers, sizes.heads)
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)
    falls = []
    for each in examples:
        made = translator.trace(each["source"], each["target"])
        ids = translator.ids(made.source, made.tgt_ids)
        both = translator.log_probs(ids, [{}, {HeadRef("cross", 1, 2): 0.0}])
        falls += (both[0] - both[1]).tolist()
    assert found[0, 1, 2] == pytest.approx(np.mean(falls), abs=1e-5)


EOS, BOS = Label("<eos>"), Label("<bos>")


def words(text: str) -> tuple[Label, ...]:
    places = [text.index(word) for word in text.split()]
    return tuple(Label(w, n, at, at + len(w)) for n, (w, at) in enumerate(zip(text.split(), places, strict=True)))


def trace(src: str, tgt: str, cross: np.ndarray) -> AttentionTrace:
    """A trace with these cross maps [L, H, T, S]; everything else is even."""
    sources, targets = (*words(src), EOS), words(tgt)
    s, t = len(sources), len(targets) + 1
    weights = {
        "encoder_self": np.full((1, 2, s, s), 1 / s, np.float32),
        "decoder_self": np.tril(np.ones((1, 2, t, t), np.float32)) / np.arange(1, t + 1)[:, None],
        "cross": cross.astype(np.float32),
    }
    return AttentionTrace(sources, (BOS, *targets), (*targets, EOS), weights, {})


def on(columns: list[int], n: int) -> np.ndarray:
    return np.eye(n)[columns]


def test_only_the_head_that_looks_elsewhere_has_changed():
    same, moved = on([0, 1, 2], 3), on([0, 2, 2], 3)
    one = trace("a b", "x y", np.stack([same, same])[None])
    other = trace("a c", "x z", np.stack([same, moved])[None])
    found = changed_heads(one, other)
    np.testing.assert_allclose(found["cross"], [[0, 1 / 3]], atol=1e-6)
    np.testing.assert_allclose(found["encoder_self"], 0, atol=1e-6)
    np.testing.assert_allclose(found["decoder_self"], 0, atol=1e-6)


def test_what_goes_to_a_new_word_counts_as_a_column_of_its_own():
    one = trace("a b", "x", on([0, 2], 3)[None, None].repeat(2, 1))
    half = np.array([[0.5, 0.5, 0, 0], [0, 0, 0, 1]])
    other = trace("a not b", "x", half[None, None].repeat(2, 1))
    expected = -(0.75 * np.log2(0.75) + 0.25 * np.log2(0.25)) - 0.5
    np.testing.assert_allclose(changed_heads(one, other)["cross"], expected / 2, atol=1e-6)


def test_heads_of_a_model_whose_heads_changed_places_find_each_other():
    rng = np.random.default_rng(0)
    maps = rng.dirichlet(np.ones(4), (2, 2, 3))
    one = trace("a b c", "x y", maps)
    found = matched(one, trace("a b c", "x y", maps[::-1, ::-1]), "cross")
    assert found.shape == (2, 2, 2, 2)
    for layer, head in np.ndindex(2, 2):
        assert found[layer, head, 1 - layer, 1 - head] == pytest.approx(1)
        assert found[layer, head].max() == found[layer, head, 1 - layer, 1 - head]


def test_another_cut_of_the_same_words_is_read_over_common_stretches():
    whole = on([0, 1, 2], 3)[None, None].repeat(2, 1)
    one = trace("ab c", "x y", whole)
    cut = (Label("a", 0, 0, 1), Label("##b", 0, 1, 2), Label("c", 1, 3, 4), EOS)
    pieces = np.array([[0.4, 0.6, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], np.float32)[None, None]
    other = AttentionTrace(cut, one.tgt_inputs, one.tgt_outputs, {"cross": pieces}, {})
    np.testing.assert_allclose(matched(one, other, "cross"), 1, atol=1e-6)
    none = AttentionTrace((EOS,), one.tgt_inputs, one.tgt_outputs, {"cross": np.ones((1, 1, 3, 1), np.float32)}, {})
    assert np.isnan(matched(one, none, "cross")).all()


@pytest.fixture
def halves(pairs):
    return list(pairs[:4:2]), list(pairs[1:4:2])


def by_hand(model, pairs, heads) -> float:
    """Nats a token that muting heads costs, by translating each pair's other side with them muted."""
    lost = tokens = 0.0
    for source, target in pairs:
        ids = model.ids(source, model.trace(source, target).tgt_ids)
        before, after = (model.log_probs(ids, [gains]).numpy()[0] for gains in ({}, dict.fromkeys(heads, 0.0)))
        lost, tokens = lost + float((before - after).sum()), tokens + len(before)
    return lost / tokens


def test_the_error_of_a_ratio_worked_by_hand():
    costs, tokens = np.array([[2.0], [6.0], [4.0]]), np.array([2, 4, 6])
    # 12 / 12 = 1; residues 0, 2, −2; √(8 · 3/2) / 12
    mean, error = ratio(costs, tokens)
    assert (mean[0], error[0]) == (pytest.approx(1), pytest.approx(np.sqrt(12) / 12))
    assert np.isnan(ratio(costs[:1], tokens[:1])[1][0])
    assert ratio(tokens[:, None].astype(float), tokens)[1][0] == 0


def test_its_error_is_what_drawing_sentences_anew_finds():
    generator = np.random.default_rng(0)
    tokens = generator.integers(5, 30, 400)
    costs = (0.1 * tokens + generator.normal(size=400))[:, None]
    method = generator.integers(0, 400, (2000, 400))
    found = (costs[method, 0].sum(1) / tokens[method].sum(1)).std()
    assert ratio(costs, tokens)[1][0] == pytest.approx(found, rel=0.06)


def test_costs_together_and_alone_are_those_of_muting_by_hand(translator, halves):
    importance = {"cross": np.array([[0.3, 0.1], [0.2, 0.0]]), "encoder_self": np.array([[0.05, -1.0], [0.04, 0.03]])}
    forced = [translator.trace(*pair) for pair in halves[1]]
    known = {kind: sum(ablate(translator, each).importance[kind] for each in forced) for kind in KINDS}
    found = muted_together(translator, *halves, importance, known)
    first = [HeadRef("cross", 0, 0), HeadRef("cross", 1, 0)]
    sets = {(each["which"], len(each["heads"])): each for each in found["sets"]}
    assert sets["most", 2]["heads"] == [head.code for head in first]
    assert sets["least", 1]["heads"] == ["e0.1"]
    assert sets["most", 2]["cost"] == pytest.approx(by_hand(translator, halves[1], first), abs=2e-4)
    alone = sum(by_hand(translator, halves[1], [head]) for head in first)
    assert sets["most", 2]["alone"] == pytest.approx(alone, abs=2e-4)
    assert sets["most", 1]["cost"] == pytest.approx(sets["most", 1]["alone"], abs=1e-4)
    assert sets["most", 8]["cost"] == sets["least", 8]["cost"]  # all eight that there are


def test_the_greedy_set_adds_the_dearest_head_each_time(translator, halves):
    candidates = [HeadRef("cross", layer, head) for layer in range(2) for head in range(2)]
    found = greedy_set(translator, halves[0], candidates)
    assert sorted(found) == sorted(candidates)
    alone = {head: by_hand(translator, halves[0], [head]) for head in candidates}
    assert found[0] == max(alone, key=alone.__getitem__)
    second = {head: by_hand(translator, halves[0], [found[0], head]) for head in candidates if head != found[0]}
    assert found[1] == max(second, key=second.__getitem__)


def table_over(translator, pairs):
    return heads_of(
        translator, pairs, PairScores.of(pairs, lambda _, pair: score_heads(translator, *pair)), {"sha256": "0"}
    )


def test_a_table_keeps_them_and_one_pair_has_no_others_to_measure_on(translator, pairs, tmp_path):
    table = table_over(translator, pairs[:4])
    table.save(tmp_path)
    again = load_head_table(tmp_path)
    assert again.facts["together"] == table.facts["together"]
    assert again.facts["together"]["sentences"] == 2
    for kind in table.errors:
        np.testing.assert_allclose(again.errors[kind], table.errors[kind], atol=5.1e-5)
        assert (table.errors[kind] > 0).any()
    alone = table_over(translator, pairs[:1])
    assert "together" not in alone.facts


SENTENCE, CHINESE = "Tom didn't see the red car in Boston.", "汤姆没看见红车。"


@pytest.fixture
def uneven(translator) -> Translator:
    """One encoder layer and three decoder layers, with weights large enough for heads to matter."""
    return strong_heads(translator, decoder_layers=3, times=2)


def one_by_one(translator: Translator, translation, kind: str) -> np.ndarray:
    """Fall of each token's log-probability with one head muted through the hooks, [L, H, T]."""
    config = translator.model.config
    depth = config.n_encoder_layers if kind == "encoder_self" else config.n_decoder_layers
    before = np.array(log_probs(translator, translation, {}))
    muted = [
        [np.array(log_probs(translator, translation, {(kind, layer, head): 0.0})) for head in range(config.n_heads)]
        for layer in range(depth)
    ]
    return before - np.array(muted)


@pytest.mark.parametrize("kind", KINDS)
def test_all_at_once_is_one_by_one(uneven, kind):
    forced = uneven.trace(SENTENCE, CHINESE)
    found, expected = ablate(uneven, forced), one_by_one(uneven, forced, kind)
    assert found.costs[kind].shape == expected.shape
    np.testing.assert_allclose(found.costs[kind], expected, atol=1e-4)
    np.testing.assert_allclose(found.importance[kind], expected.sum(-1), atol=1e-4)
    assert np.abs(expected.sum(-1)).min() > 3e-4  # each head leaves a trace, or another order would pass too
    spread = np.abs(expected.reshape(-1, 1, expected.shape[-1]) - expected.reshape(1, -1, expected.shape[-1])).max(-1)
    assert spread[~np.eye(len(spread), dtype=bool)].min() > 3e-4


def test_before_is_the_whole_models(uneven):
    forced = uneven.trace(SENTENCE, CHINESE)
    np.testing.assert_allclose(ablate(uneven, forced).before, forced.log_probs, atol=1e-4)


def test_eos_counts_only_where_it_was_written(uneven):
    ids = uneven.trace(SENTENCE, CHINESE).tgt_ids
    whole, cut = (ablate_ids(uneven, SENTENCE, ids, finished) for finished in (True, False))
    assert len(cut.before) == len(ids) == len(whole.before) - 1
    np.testing.assert_allclose(cut.costs["cross"], whole.costs["cross"][..., :-1], atol=1e-5)


def test_nothing_written_costs_nothing(uneven):
    found = ablate_ids(uneven, SENTENCE, (), finished=False)
    assert {kind: values.tolist() for kind, values in found.importance.items()} == {
        kind: np.zeros((1 if kind == "encoder_self" else 3, 4)).tolist() for kind in KINDS
    }


def test_the_model_is_left_as_it_was(uneven):
    forced = uneven.trace(SENTENCE, CHINESE)
    ablate(uneven, forced)
    hooks = [
        uneven.model.get_submodule(hook_name(kind, layer, HEADS_OUT))._forward_hooks
        for kind in KINDS
        for layer in range(1 if kind == "encoder_self" else 3)
    ]
    assert not any(hooks)
    assert uneven.trace(SENTENCE, CHINESE).log_probs == forced.log_probs


@pytest.mark.parametrize("name", [name for name in ("reverse", "en-zh") if name in available()])
def test_shipped_weights_agree_too(name):
    translator = Translator.from_checkpoint(name, "cpu")
    translation = translator.translate("abc123" if name == "reverse" else "I love you.")
    found, layer = ablate(translator, translation), translator.model.config.n_decoder_layers - 1
    for kind, place in (("encoder_self", (0, 1)), ("decoder_self", (0, 2)), ("cross", (layer, 0)), ("cross", (0, 3))):
        after = log_probs(translator, translation, {(kind, *place): 0.0})
        assert found.importance[kind][place] == pytest.approx(sum(translation.log_probs) - sum(after), abs=1e-3)
