"""One token's evidence: cases worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from model.analysis.faithfulness.evidence import evidence, telling_token
from model.trace import Label


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
