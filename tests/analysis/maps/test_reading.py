from __future__ import annotations

import numpy as np
import pytest

from model.attribution.labelled_map import (
    LabelledMap,
    combine,
    merge_words,
    read,
    shifted_rows,
    token_rows,
    without_special,
    written_probabilities,
)
from model.attribution.sanity import check_map
from model.trace import KINDS, AttentionTrace, Kind, Label

TOKENS = (Label("a", 0), Label("b", 1), Label("c", 2))


def trace_of(kind: Kind, weights: np.ndarray) -> AttentionTrace:
    good = np.tril(np.ones((1, 1, 3, 3), np.float32))
    good /= good.sum(-1, keepdims=True)
    maps = dict.fromkeys(KINDS, good)
    maps[kind] = weights[None, None].astype(np.float32)
    return AttentionTrace(TOKENS, TOKENS, TOKENS, maps, maps)


@pytest.mark.parametrize("kind", KINDS)
def test_a_real_map_is_sane(kind: Kind) -> None:
    sanity = check_map(trace_of(kind, np.array([[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]])), kind, 0, 0)
    assert sanity.holds
    assert sanity.masked_weight == 0


def test_rows_that_do_not_sum_to_one_are_seen() -> None:
    sanity = check_map(trace_of("cross", np.array([[1, 0, 0], [0.5, 0.4, 0], [0.2, 0.3, 0.5]])), "cross", 0, 0)
    assert not sanity.holds
    assert sanity.row_sum_error == pytest.approx(0.1)


def test_weight_on_the_future_is_seen_where_it_is_masked() -> None:
    leak = np.array([[0.75, 0.25, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]])
    assert check_map(trace_of("decoder_self", leak), "decoder_self", 0, 0).masked_weight == pytest.approx(0.25)
    assert not check_map(trace_of("decoder_self", leak), "decoder_self", 0, 0).holds
    assert check_map(trace_of("encoder_self", leak), "encoder_self", 0, 0).holds


ROWS = (Label("<bos>"), Label("他", 0, 0, 1), Label("New", 1, 1, 4), Label("##ton", 1, 4, 7))
COLUMNS = (Label("un", 0, 0, 2), Label("##seen", 0, 2, 6), Label("car", 1, 7, 10), Label("<eos>"))


@pytest.fixture
def weights() -> np.ndarray:
    return np.random.default_rng(0).dirichlet(np.ones(4), size=4).astype(np.float32)


def test_merging_adds_up_columns_and_averages_rows(weights: np.ndarray) -> None:
    merged = merge_words(LabelledMap(weights, ROWS, COLUMNS))
    assert [label.text for label in merged.rows] == ["<bos>", "他", "Newton"]
    assert [label.text for label in merged.columns] == ["unseen", "car", "<eos>"]
    assert (merged.columns[0].start, merged.columns[0].end) == (0, 6)
    np.testing.assert_allclose(merged.weights.sum(-1), 1, atol=1e-6)
    np.testing.assert_allclose(merged.weights[1, 0], weights[1, 0] + weights[1, 1])
    np.testing.assert_allclose(merged.weights[2, 1], (weights[2, 2] + weights[3, 2]) / 2, rtol=1e-6)


def test_words_of_the_same_spelling_stay_apart() -> None:
    labels = (Label("a", 0, 0, 1), Label("a", 1, 2, 3))
    assert merge_words(LabelledMap(np.eye(2, dtype=np.float32), labels, labels)).weights.shape == (2, 2)


def test_bytes_of_one_character_merge_into_it() -> None:
    labels = (Label("é", 0, 0, 1), Label("##<0xA9>", 0, 0, 1))
    merged = merge_words(LabelledMap(np.full((2, 2), 0.5, np.float32), labels, labels))
    assert [label.text for label in merged.rows] == ["é"]


def test_hiding_special_tokens_renormalises_each_row(weights: np.ndarray) -> None:
    hidden = without_special(LabelledMap(weights, ROWS, COLUMNS))
    assert [label.text for label in hidden.rows] == ["他", "New", "##ton"]
    assert [label.text for label in hidden.columns] == ["un", "##seen", "car"]
    np.testing.assert_allclose(hidden.weights.sum(-1), 1, atol=1e-6)
    np.testing.assert_allclose(hidden.weights[0], weights[1, :3] / weights[1, :3].sum(), rtol=1e-6)


def test_a_row_with_nothing_but_special_weight_stays_zero(weights: np.ndarray) -> None:
    weights[1] = (0, 0, 0, 1)
    hidden = without_special(LabelledMap(weights, ROWS, COLUMNS))
    assert (hidden.weights[0] == 0).all()
    np.testing.assert_allclose(hidden.weights[1].sum(), 1, atol=1e-6)


def test_both_work_on_many_maps_at_once(weights: np.ndarray) -> None:
    stack = np.stack((weights, weights[::-1]))
    both = read(stack, ROWS, COLUMNS, words=True, hide_special=True)
    assert both.weights.shape == (2, 2, 2)
    np.testing.assert_allclose(both.weights[1], read(stack[1], ROWS, COLUMNS, True, True).weights)


def test_combinations_are_named_and_others_refused() -> None:
    maps = np.array([[[0.2, 0.8]], [[0.6, 0.4]]])
    np.testing.assert_allclose(combine(maps, "mean"), [[0.4, 0.6]])
    np.testing.assert_allclose(combine(maps, "max"), [[0.6, 0.8]])
    np.testing.assert_allclose(combine(np.array([[[1.0, -3.0]], [[-2.0, 2.0]]]), "max"), [[-2.0, -3.0]])
    with pytest.raises(ValueError, match="mean, max, importance"):
        combine(maps, "product")
    with pytest.raises(ValueError, match="no map"):
        combine(maps[:0], "mean")


def test_heads_are_weighted_by_what_they_are_worth() -> None:
    maps = np.array([[[0.2, 0.8]], [[0.6, 0.4]], [[1.0, 0.0]]])
    np.testing.assert_allclose(combine(maps, "importance", np.array([3.0, 1.0, -5.0])), [[0.3, 0.7]])
    np.testing.assert_allclose(combine(maps, "importance", np.array([-1.0, 0.0, -5.0])), combine(maps, "mean"))
    for missing in (None, np.ones(2)):
        with pytest.raises(ValueError, match="3 maps need as many"):
            combine(maps, "importance", missing)


def test_scores_of_pieces_are_averaged_and_only_shares_are_divided() -> None:
    scores = np.arange(16, dtype=np.float32).reshape(4, 4) - 8
    merged = read(scores, ROWS, COLUMNS, words=True, hide_special=True, method="scores").weights
    np.testing.assert_allclose(merged[0], [(-4 - 3) / 2, -2])
    added = read(scores, ROWS, COLUMNS, words=True, hide_special=True, method="norms").weights
    np.testing.assert_allclose(added[0], [-4 - 3, -2])


def test_a_token_is_written_by_one_row_and_read_by_the_next(translator) -> None:
    made = translator.translate("I love you.", capture=True)
    trace, maps = made.trace, made.trace.cross
    written, read_ = (token_rows(maps, trace, shift) for shift in ("written", "read"))
    assert written[1] == (*made.tgt, Label("<eos>"))
    assert read_[1] == made.tgt
    np.testing.assert_array_equal(read_[0][..., 0, :], maps[..., 1, :])
    assert shifted_rows(trace, "read") == shifted_rows(trace, "written")[::-1]
    probabilities = [written_probabilities(made, False, False, shift) for shift in ("written", "read")]
    assert probabilities[1] == probabilities[0][:-1]
