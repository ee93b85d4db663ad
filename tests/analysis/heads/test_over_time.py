"""When heads found their jobs: courses made by hand, and a model that is asked at two points."""

from __future__ import annotations

import numpy as np
import pytest

from model.analysis.heads.over_time import found_at, importance_over_time, jobs
from model.history import History, coded
from model.trace import HeadRef

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
