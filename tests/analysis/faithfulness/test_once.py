"""Asking about one translation through ``Once``: the same numbers, and nothing computed twice."""

from __future__ import annotations

import numpy as np
import pytest

from model.analysis.faithfulness.corpus import word_maps
from model.analysis.faithfulness.once import Once
from model.analysis.what_if.fork import decoding_steps
from model.attribution.methods import METHODS, attribution_maps
from model.passage import Ask, Slope


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

    def log_probs(self, ids, gains=(), hidden=None, way="mask"):
        self.rows += len(hidden)
        return self.model.log_probs(ids, gains, hidden, way)


@pytest.fixture(scope="module")
def forced(translator):
    return translator.trace("The cat drinks milk .", "猫喝牛奶。")


def test_every_sort_of_map_is_what_the_model_gives_alone(translator, forced):
    once = Once(translator)
    for name, sort in METHODS.items():
        if sort.slow:
            continue
        alone, shared = attribution_maps(translator, forced, name), attribution_maps(once, forced, name)
        for kind in alone:
            np.testing.assert_allclose(shared[kind], alone[kind], atol=1e-5, err_msg=name)


def test_all_maps_take_one_plain_pass_one_of_gradients_and_no_set_of_words_twice(translator, forced):
    counting = Counting(translator)
    _, seconds = word_maps(counting, forced, slow=False)
    passes = [each for each in counting.asked if isinstance(each, Ask)]
    assert [ask.gradient for ask in passes] == [None, "each"]
    assert len([each for each in counting.asked if isinstance(each, Slope)]) == 2
    words = len({label.word for label in forced.src if not label.is_special})
    assert counting.rows == 2 * (1 + words)  # of leaving one out, and of silencing
    assert seconds["flow"] > 0.2 * seconds["alti"]  # what it did not compute again counts for it, too


def test_votes_shares_and_steps_of_a_translation_come_from_one_pass(translator, forced):
    counting = Counting(translator)
    once = Once(counting)
    for name in ("votes", "alti", "flow", "norms"):
        attribution_maps(once, forced, name)
    shared = decoding_steps(once, forced.source, forced.tgt_ids)
    assert len(counting.asked) == 1
    alone = decoding_steps(translator, forced.source, forced.tgt_ids)
    assert [step.written.id for step in shared] == [step.written.id for step in alone]
    for one, other in zip(shared, alone, strict=True):
        assert [each.id for each in one.candidates] == [each.id for each in other.candidates]
        probabilities = [[each.probability for each in step.candidates] for step in (one, other)]
        np.testing.assert_allclose(*probabilities, atol=1e-6)
        assert abs(one.entropy - other.entropy) < 1e-5


def test_rows_are_kept_apart_by_the_way_and_by_what_they_delete(translator, forced):
    ids = translator.ids(forced.source, forced.tgt_ids)
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
