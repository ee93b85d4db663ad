"""Tokens beside tokens: partners, common columns, common stretches."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise, product

import numpy as np
import pytest

from model.attribution.aligned import (
    aligned_places,
    changed_places,
    common_groups,
    difference,
    divergence,
    grouped,
    on_common,
)
from model.trace import Label


def distance(one: str, other: str) -> int:
    """Fewest insertions, deletions and exchanges, by trying all."""

    @lru_cache(None)
    def left(i: int, j: int) -> int:
        if i == len(one) or j == len(other):
            return len(one) - i + len(other) - j
        return min(left(i + 1, j) + 1, left(i, j + 1) + 1, left(i + 1, j + 1) + (one[i] != other[j]))

    return left(0, 0)


@pytest.mark.parametrize(("one", "other"), product(["", "a", "abcab", "bacca", "cabbage"], repeat=2))
def test_partners_take_the_fewest_edits_and_keep_their_order(one, other):
    pairs = aligned_places(one, other)
    exchanged = sum(one[here] != other[there] for here, there in pairs)
    assert exchanged + len(one) + len(other) - 2 * len(pairs) == distance(one, other)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(pairs))


def test_subject_and_object_are_partners_of_each_other():
    one, other = ["我", "爱", "你"], ["你", "爱", "我"]
    pairs = aligned_places(one, other)
    assert pairs == ((0, 0), (1, 1), (2, 2))
    assert changed_places(one, other, pairs) == ({0, 2}, {0, 2})
    inserted = ["I", "do", "not", "go"]
    assert changed_places(["I", "go"], inserted, aligned_places(["I", "go"], inserted)) == (set(), {1, 2})


def test_a_difference_is_of_partners_only_and_the_second_less_the_first():
    one, other = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(1, 3, 4) / 2
    found = difference(one, other[0], ((0, 1), (1, 2)), ((0, 0), (2, 3)))
    assert found.tolist() == [[2.0 - 0.0, 3.5 - 2.0], [4.0 - 3.0, 5.5 - 5.0]]
    assert difference(one[None], other, ((1, 0),), ((1, 1),)).tolist() == [[[0.5 - 4.0]]]
    assert difference(one, one, (), ((0, 0),)).shape == (0, 1)


def test_what_has_no_partner_is_one_more_column():
    weights = np.array([[0.1, 0.2, 0.3, 0.4]])
    np.testing.assert_allclose(on_common(weights, [3, 0]), [[0.4, 0.1, 0.5]])


def test_the_divergence_of_a_row_by_hand():
    one, other = np.array([[0.5, 0.5], [1, 0], [0.3, 0.7]]), np.array([[1, 0], [0, 1], [0.3, 0.7]])
    mixed = -(0.75 * np.log2(0.75) + 0.25 * np.log2(0.25)) - 0.5
    np.testing.assert_allclose(divergence(one, other), [mixed, 1, 0], atol=1e-12)


def labels(*ends: int) -> list[Label]:
    starts = (0, *ends[:-1])
    return [*(Label("x", 0, start, end) for start, end in zip(starts, ends, strict=True)), Label("<eos>")]


def test_common_stretches_of_two_cuts_and_maps_over_them():
    one, other = labels(1, 2, 4, 6), labels(2, 3, 4, 6)
    groups = common_groups(one, other)
    assert groups == ([[0, 1], [2], [3]], [[0], [1, 2], [3]])
    weights = np.arange(1.0, 26).reshape(5, 5)
    weights /= weights.sum(-1, keepdims=True)
    found = grouped(weights, groups[0], groups[0])
    np.testing.assert_allclose(found.sum(-1), 1)
    first = weights[:2, :2].sum(-1).mean() / weights[:2, :4].sum(-1).mean()
    assert found[0, 0] == pytest.approx(first)


def test_a_row_that_looks_at_special_tokens_alone_is_even():
    weights = np.array([[0.0, 0.0, 1.0]])
    np.testing.assert_allclose(grouped(weights, [[0]], [[0], [1]]), [[0.5, 0.5]])
