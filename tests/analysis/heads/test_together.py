"""Heads muted together: against muting them one pair at a time by hand, and what choosing them may not see."""

from __future__ import annotations

import numpy as np
import pytest

from model.analysis.heads.ablation import ablate
from model.analysis.heads.corpus import corpus_heads, greedy_set, muted_together, ratio
from model.analysis.heads.table import load_head_table
from model.trace import KINDS, HeadRef


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


def test_a_table_keeps_them_and_one_pair_has_no_others_to_measure_on(translator, pairs, tmp_path):
    table, _ = corpus_heads(translator, pairs[:4], {"sha256": "0"})
    table.save(tmp_path)
    again = load_head_table(tmp_path)
    assert again.facts["together"] == table.facts["together"]
    assert again.facts["together"]["sentences"] == 2
    for kind in table.errors:
        np.testing.assert_allclose(again.errors[kind], table.errors[kind], atol=5.1e-5)
        assert (table.errors[kind] > 0).any()
    alone, _ = corpus_heads(translator, pairs[:1], {"sha256": "0"})
    assert "together" not in alone.facts
