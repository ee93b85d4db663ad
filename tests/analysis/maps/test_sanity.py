from __future__ import annotations

import numpy as np
import pytest

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
