"""Quality hints on traces whose truth is known."""

import numpy as np
import pytest

from model.analysis.what_if.quality import quality, repeated_run
from model.trace import AttentionTrace, Label, TracedTranslation


def translation(cross: np.ndarray, log_probs: tuple[float, ...], text: str = "甲乙") -> TracedTranslation:
    src = (Label("one", 0, 0, 3), Label("two", 1, 4, 7), Label("##ish", 1, 7, 10), Label(".", 2, 10, 11))
    tgt = (Label("甲", 0, 0, 1), Label("乙", 1, 1, 2))
    bos, eos = Label("<bos>"), Label("<eos>")
    shapes = {"encoder_self": (1, 1, 5, 5), "decoder_self": (1, 1, 3, 3)}
    weights = {kind: np.zeros(shape, np.float32) for kind, shape in shapes.items()} | {"cross": cross[None, None]}
    trace = AttentionTrace((*src, eos), (bos, *tgt), (*tgt, eos), weights, weights)
    return TracedTranslation("one twoish.", text, src, tgt, (5, 6), log_probs, True, 2, trace)


EVEN = np.full((3, 5), 0.2, np.float32)


def test_hints_of_an_even_map():
    hints = quality(translation(EVEN, (np.log(0.9),) * 3))
    assert hints.confidence == pytest.approx(0.9)
    np.testing.assert_allclose(hints.entropy, np.log(5), rtol=1e-5)
    np.testing.assert_allclose(hints.coverage, [0.6, 1.2, 0.6], rtol=1e-5)
    assert hints.words == ("one", "twoish", ".")


def test_a_word_nobody_attends_to_is_named_but_punctuation_is_not():
    cross = np.zeros((3, 5), np.float32)
    cross[:, 1] = 1.0
    hints = quality(translation(cross, (np.log(0.9),) * 3))
    assert hints.ignored == ("one",)


@pytest.mark.parametrize(("text", "run"), [("妹妹妹", "妹"), ("去哪去哪去哪", "去哪"), ("妹妹来了", ""), ("", "")])
def test_repeated_run(text, run):
    assert repeated_run(text) == run


@pytest.mark.parametrize(
    ("text", "source", "run"),
    [
        ("打555-0192", "Call 555-0192.", ""),
        ("7,0000美元", "7,000 dollars", ""),
        ("哈哈哈哈", "Ha ha, ha ha!", ""),
        ("哈哈哈哈", "Ha ha!", "哈"),
        ("555，妹妹妹", "555, sister", "妹"),
    ],
)
def test_what_stands_so_often_in_the_source_is_copied_and_no_loop(text, source, run):
    assert repeated_run(text, source) == run
