"""The verdict on translations whose faults are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from model.analysis.faithfulness.deletion import LeftOut
from model.analysis.what_if.verdict import LOW, TRACELESS, UNSURE, UNSURE_TWICE, Doubt, traceless_words, verdict
from model.trace import Label, Translation


def made(source: str, text: str, share: float = 0.9, least: float | None = None, finished: bool = True) -> Translation:
    """A translation whose every token is a character, each with the same probability but the first."""
    tgt = tuple(Label(char, n, n, n + 1) for n, char in enumerate(text))
    shares = [share] * (len(tgt) + finished)
    shares[0] = share if least is None else least
    src, at = [], 0
    for word, part in enumerate(source.split()):
        start = source.index(part, at)
        at = start + len(part)
        src.append(Label(part, word, start, at))
    log_probs = tuple(float(np.log(each)) for each in shares)
    return Translation(source, text, tuple(src), tgt, tuple(range(len(tgt))), log_probs, finished, 2)


def costs(source: str, least: float, at: str) -> LeftOut:
    """Deleting costs two nats, but for one word."""
    words = tuple(Label(part, n) for n, part in enumerate(source.split()))
    found = np.full((len(words), 3), 2.0, np.float32)
    found[[word.text == at for word in words]] = least
    return LeftOut(words, np.zeros(3), found)


def test_a_sure_translation_in_which_everything_left_its_trace_is_good() -> None:
    said = verdict(made("two red boats", "两艘红色的船"), costs("two red boats", 2.0, ""))
    assert (said.level, said.doubts) == ("good", ())
    assert said.confidence == pytest.approx(0.9)


def test_a_word_on_which_nothing_hangs_is_named_and_a_function_word_or_a_double_is_not() -> None:
    assert traceless_words(costs("the red boat", TRACELESS - 0.01, "boat")) == ["boat"]
    assert traceless_words(costs("the red boat", TRACELESS + 0.01, "boat")) == []
    assert traceless_words(costs("the red boat", 0.0, "the")) == []
    assert traceless_words(costs("boat by boat", 0.0, "boat")) == []
    said = verdict(made("the red boat", "红色的"), costs("the red boat", 0.0, "boat"))
    assert (said.level, said.doubts) == ("bad", (Doubt("word", "boat"),))


@pytest.mark.parametrize(
    ("translation", "level", "causes"),
    [
        (made("in 1998", "1989年"), "bad", ["number"]),
        (made("in 1998", "anno MCM"), "good", []),
        (made("my sister", "妹妹妹"), "bad", ["repeated"]),
        (made("Ha ha ha ha", "哈哈哈哈"), "good", []),
        (made("555", "555"), "good", []),
        (made("my sister", "我", finished=False), "bad", ["unfinished"]),
        (made("my sister", "我的妹妹", share=0.55), "doubtful", ["confidence"]),
        (made("my sister", "我的妹妹", share=LOW - 0.01), "bad", ["low"]),
        (made("my sister came home", "我的妹妹昨天晚上才回到家", least=UNSURE / 2), "doubtful", ["token"]),
        (made("my sister came home", "，的妹妹昨天晚上才回到家", least=UNSURE / 2), "good", []),
    ],
)
def test_each_fault_has_its_level_and_its_cause(translation: Translation, level: str, causes: list[str]) -> None:
    said = verdict(translation)
    assert (said.level, [doubt.cause for doubt in said.doubts]) == (level, causes)


def test_a_character_twice_is_doubted_where_the_model_was_not_sure_of_the_second() -> None:
    def written(text: str, second: float) -> tuple[Doubt, ...]:
        translation = made("it does not fit in the suitcase", text)
        shares = [second if one == other else 0.9 for one, other in zip(" " + text, text, strict=False)]
        return verdict(replace(translation, log_probs=tuple(map(float, np.log([*shares, 0.9]))))).doubts

    (doubt,) = written("放不进行行手提箱", UNSURE_TWICE - 0.01)
    assert (doubt.cause, doubt.what, round(doubt.share, 2)) == ("twice", "行行", 0.44)
    assert written("深深的手提箱", UNSURE_TWICE + 0.01) == ()
    assert written("妈妈的手提箱", 0.2) == ()
    assert written("a aa--手提箱", 0.2) == ()  # no Chinese characters


def test_the_threshold_is_the_tables() -> None:
    sure = made("my sister", "我的妹妹", share=0.7)
    assert verdict(sure, threshold=0.69).level == "good"
    assert verdict(sure, threshold=0.71).level == "doubtful"


def test_a_word_in_many_pieces_is_rare() -> None:
    plain = made("a quokka", "一只短尾袋鼠")
    pieces = (Label("a", 0, 0, 1), Label("qu", 1, 2, 4), Label("##ok", 1, 4, 6), Label("##ka", 1, 6, 8))
    spelt = Translation(plain.source, plain.text, pieces, plain.tgt, plain.tgt_ids, plain.log_probs, True, 2)
    assert verdict(plain).doubts == ()
    assert verdict(spelt).doubts == (Doubt("rare", "quokka"),)
