"""Alignment error rate, merging to gold words, and the table over heads."""

from __future__ import annotations

import random

import numpy as np
import pytest

from model.analysis.alignment import (
    ErrorCounts,
    GoldPair,
    argmax_links,
    cross_maps,
    joined,
    membership,
    read_gold,
    word_spans_of,
)
from model.analysis.error_table import best_setting, error_table, word_maps
from model.analysis.inside import head_steps
from model.errors import CorpusError
from model.vocab import BOS_ID


def rate(found: set, gold: GoldPair) -> float:
    counts = ErrorCounts()
    counts.add(found, gold)
    return counts.rate


def test_perfect_alignment_has_no_error_and_possible_links_do_no_harm():
    gold = GoldPair(("a", "b"), ("甲", "乙"), frozenset({(0, 0)}), frozenset({(0, 0), (1, 1)}))
    assert rate({(0, 0)}, gold) == 0
    assert rate({(0, 0), (1, 1)}, gold) == 0
    assert rate({(1, 0)}, gold) == 1
    assert rate(set(), gold) == 1


def test_error_rate_agrees_with_an_independent_count_on_random_links():
    rng = random.Random(5)
    for _ in range(200):
        every = [(i, j) for i in range(5) for j in range(4)]
        possible = set(rng.sample(every, rng.randint(1, 12)))
        sure = set(rng.sample(sorted(possible), rng.randint(0, len(possible))))
        found = set(rng.sample(every, rng.randint(1, 10)))
        hits = sum(link in sure for link in found) + sum(link in possible for link in found)
        gold = GoldPair(("w",) * 5, ("字",) * 4, frozenset(sure), frozenset(possible))
        assert rate(found, gold) == pytest.approx(1 - hits / (len(found) + len(sure)))


def test_tokens_join_the_word_they_overlap():
    text, spans = joined(("在", "New", "York", "的", "15号"))
    assert text == "在New York的15号"
    assert [text[start:end] for start, end in spans] == ["在", "New", "York", "的", "15号"]
    np.testing.assert_allclose(membership([(0, 2), (2, 4)], [(0, 1), (1, 3), (3, 4)]), [[1, 0.5, 0], [0, 0.5, 1]])
    assert word_spans_of(("to", "be", ".")) == [(0, 2), (3, 5), (6, 7)]


def test_a_row_without_weight_makes_no_link():
    assert argmax_links(np.array([[0.1, 0.9], [0.0, 0.0]])) == {(1, 0)}


@pytest.mark.parametrize("line", ["only english\t中文", "a b\t甲\t0-1", "a\t甲\tx", "a\t甲\t5-0", "\t甲\t0-0"])
def test_a_bad_line_is_named(tmp_path, line):
    path = tmp_path / "gold.tsv"
    path.write_text(f"a b\t甲 乙\t0-0 1p1\n{line}\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="line 2"):
        read_gold(path)


def test_norms_equal_an_explicit_sum_over_value_vectors(translator):
    import torch

    maps, _, forced = cross_maps(translator, "I love you.", "我爱你。")
    _, src_ids = translator.encode_source("I love you.")
    inputs = torch.tensor([[BOS_ID, *(token.id for token in forced)]])
    steps = [head_steps(translator.model, src_ids, inputs, "cross", 1, head) for head in range(4)]
    projection = translator.model.decoder.layers[1].cross_attn.out_proj.weight.detach().numpy()
    whole = 0
    for head, one in enumerate(steps):
        vectors = one.weights[:, :, None] * (one.value @ projection[:, head * 8 : head * 8 + 8].T)[None]
        np.testing.assert_allclose(maps["norms"][1, head], np.linalg.norm(vectors, axis=-1), atol=1e-5)
        whole = whole + vectors
    np.testing.assert_allclose(maps["norms"][1, 4], np.linalg.norm(whole, axis=-1), atol=1e-5)
    assert np.abs(maps["norms"][1, 0] - maps["weights"][1, 0]).max() > 1e-3


def test_written_and_read_rows_are_one_step_apart(translator):
    pair = GoldPair(("i", "love", "you"), ("我", "爱", "你"), frozenset({(0, 0)}), frozenset({(0, 0)}))
    merged = word_maps(translator, pair)
    weights, src, _ = cross_maps(translator, "i love you", "我爱你")
    assert merged["weights", "written", 0, 0].shape == (3, 3)
    np.testing.assert_allclose(merged["weights", "read", 0, 2][0], merged["weights", "written", 0, 2][1], atol=1e-6)
    last = [label.word for label in src].index(2)
    assert merged["weights", "read", 0, 0][2, 2] == pytest.approx(weights["weights"][0, 0, 3, last : len(src)].sum())


def test_the_table_holds_every_setting_and_names_its_best(translator):
    pair = GoldPair(("i", "love", "you"), ("我", "爱", "你"), frozenset({(0, 0)}), frozenset({(0, 0)}))
    too_long = GoldPair(("word",) * 400, ("字",), frozenset({(0, 0)}), frozenset({(0, 0)}))
    counts, refused = error_table(translator, [pair, too_long])
    assert len(counts) == 2 * 2 * 2 * 5
    assert list(refused) == [2]
    best = best_setting(counts, 4)
    assert best["aer"] == round(100 * min(count.rate for count in counts.values()), 2)
    with pytest.raises(CorpusError):
        error_table(translator, [too_long])
