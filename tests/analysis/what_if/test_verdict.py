"""The verdict on translations whose faults are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from model.analysis.faithfulness.deletion import LeftOut
from model.analysis.what_if.repair import quality, repeated_run
from model.analysis.what_if.verdict import (
    BACKWARD_WEIGHT,
    LOW,
    SURE_TRACE,
    TRACELESS,
    UNREAD,
    UNSURE,
    USUAL_LENGTH,
    Doubt,
    LostNumber,
    joint_confidence,
    lost_numbers,
    may_be_traceless,
    traceless_words,
    unread_words,
    verdict,
)
from model.trace import AttentionTrace, Label, TracedTranslation, Translation


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
        (made("my sister came home", "我的妹妹昨天晚上才回到家", least=UNSURE / 2), "good", []),
        (
            made("my sister came home", "我的妹妹昨天晚上才回到家", share=0.59, least=UNSURE / 2),
            "doubtful",
            ["confidence", "token"],
        ),
        (
            made("my sister came home", "，的妹妹昨天晚上才回到家", share=0.59, least=UNSURE / 2),
            "doubtful",
            ["confidence"],
        ),
    ],
)
def test_each_fault_has_its_level_and_its_cause(translation: Translation, level: str, causes: list[str]) -> None:
    said = verdict(translation)
    assert (said.level, [doubt.cause for doubt in said.doubts]) == (level, causes)


def test_what_cannot_be_read_back_is_doubted_by_its_words() -> None:
    """However sure the model was: the threshold is of both together, and reached or not by what was read back."""
    sure = made("my sister baked seven pies", "我的妹妹烤了馅饼")
    well = (-0.1,) * 6
    assert verdict(sure, threshold=0.85, read_back=well).doubts == ()
    lost = (-0.1, UNREAD - 0.1, -0.1, UNREAD - 9, UNREAD - 4, -0.1)
    assert joint_confidence(sure, lost) < 0.85 < joint_confidence(sure, well)
    assert verdict(sure, threshold=0.85).doubts == (), "without, only confidence counts"
    said = verdict(sure, threshold=0.85, read_back=lost)
    assert (said.level, said.doubts) == ("doubtful", (Doubt("unread", "pies"), Doubt("unread", "sister"))), "in digits"
    evenly = verdict(sure, threshold=0.85, read_back=(UNREAD / 2,) * 6).doubts
    assert [(each.cause, each.what, round(each.share, 2)) for each in evenly] == [
        ("unread", "", 0.05),
        ("confidence", "", 0.9),
    ]


def test_in_a_long_sentence_each_token_must_be_surer() -> None:
    """Of the usual length both means count as they are; of sixteen times as many tokens twice, in logarithm."""
    usual = made("my sister came", "我的妹妹昨天才回到家里", share=0.9)
    assert len(usual.log_probs) == USUAL_LENGTH
    assert joint_confidence(usual, (-0.5,) * USUAL_LENGTH) == pytest.approx(0.9 * np.exp(-0.5 * BACKWARD_WEIGHT))
    short = made("my sister came", "我的妹妹", share=0.9)
    assert joint_confidence(short, (-0.5,) * 4) == pytest.approx(0.9 * np.exp(-0.5 * BACKWARD_WEIGHT))
    long = made("my sister came", ("我的妹妹昨天才回到家里" * 18)[: 16 * USUAL_LENGTH - 1], share=0.9)
    assert joint_confidence(long, (-0.5,) * 16 * USUAL_LENGTH) == pytest.approx(
        (0.9 * np.exp(-0.5 * BACKWARD_WEIGHT)) ** 2
    )


def test_the_pieces_of_a_word_are_read_back_together() -> None:
    spelt = replace(
        made("a quokka", "一只短尾袋鼠"),
        src=(Label("a", 0, 0, 1), Label("qu", 1, 2, 4), Label("##ok", 1, 4, 6), Label("##ka", 1, 6, 8)),
    )
    assert unread_words(spelt, (0.0, *[UNREAD / 3 - 0.1] * 3, 0.0)) == ["quokka"]
    assert unread_words(spelt, (2 * UNREAD, *[UNREAD / 3 + 0.1] * 3, 0.0)) == [], "an article says nothing"
    assert unread_words(spelt, ()) == []


def test_a_word_on_which_nothing_hangs_may_be_said_otherwise_if_it_can_be_read_back() -> None:
    boat, left = made("the red boat", "红色的"), costs("the red boat", 0.0, "boat")
    assert verdict(boat, left, 0.0, (-0.1, -0.1, UNREAD - 1, -0.1)).doubts == (Doubt("word", "boat"),)
    assert verdict(boat, left, 0.0, (-0.1,) * 4).doubts == ()


def test_the_threshold_is_the_tables() -> None:
    sure = made("my sister", "我的妹妹", share=0.7)
    assert verdict(sure, threshold=0.69).level == "good"
    assert verdict(sure, threshold=0.71).level == "doubtful"


def test_a_word_in_many_pieces_is_rare() -> None:
    plain = made("a quokka", "一只短尾袋鼠")
    pieces = (Label("a", 0, 0, 1), Label("qu", 1, 2, 4), Label("##ok", 1, 4, 6), Label("##ka", 1, 6, 8))
    spelt = Translation(plain.source, plain.text, pieces, plain.tgt, plain.tgt_ids, plain.log_probs, True, 2)
    assert verdict(spelt).doubts == (), "by itself that is no reason"
    assert verdict(plain, threshold=0.95).doubts[1:] == ()
    assert verdict(spelt, threshold=0.95).doubts[1:] == (Doubt("rare", "quokka"),)
    plain = made("a 日本語", "一只短尾袋鼠")
    of_bytes = [Label(f"{'##' * (n > 0)}▫", 1, 2 + n // 3, 3 + n // 3) for n in range(9)]
    spelt = Translation(
        plain.source, plain.text, (pieces[0], *of_bytes), plain.tgt, plain.tgt_ids, plain.log_probs, True, 2
    )
    assert verdict(spelt, threshold=0.95).doubts[1:] == (Doubt("rare", "日本語"),), (
        "a character stands once, of however many bytes it is"
    )


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("In 1998 it cost $4.50.", "1998年它要4.50美元。"),
        ("70,000 people", "7万人"),
        ("3.5 million people", "350万人"),
        ("1,250,000 copies", "125万册"),
        ("It took 20 days and 12 nights.", "花了二十天十二夜。"),
        ("We meet at 4:30.", "我们四点半见面。"),
        ("The train leaves at 6:05 p.m.", "火车18:05开。"),
        ("Come at 7:00.", "七点来。"),
        ("Songs of the 1980s", "80年代的歌"),
        ("a city of 320 houses and 25,000 people", "三百二十座房子和两万五千人的城市"),
        ("the 2 boys", "两个男孩"),
        ("Call 555-0192.", "请打５５５－０１９２。"),
        ("2004 and 2004", "2004年和2004年"),
        ("50% of them", "他们中的百分之五十"),
        ("two thirds of them", "他们的三分之二"),
        ("nothing", "没有数字，一切都好"),
    ],
)
def test_a_number_that_stands_there_in_any_form_is_kept(english: str, chinese: str) -> None:
    assert lost_numbers(english, chinese) == ()


@pytest.mark.parametrize(
    ("english", "chinese", "lost"),
    [
        ("The city has 1,000,000 people.", "这座城市有1,000个人。", [("1,000,000", "1,000")]),
        ("before 1944 he paid 70,000", "他付了1944000", [("1944", "1944000"), ("70,000", "")]),
        ("Call 555-0192.", "请打555-1092。", [("0192", "1092")]),
        ("2004 and 2004", "2004年", [("2004", "")]),
        ("pi is 3.14159", "圆周率是3.14591", [("3.14159", "3.14591")]),
        ("at 9:48", "在9:28", [("48", "28")]),
        ("3 million", "3000", [("3 million", "3000")]),
        ("2.5 million people", "2.500人", [("2.5 million", "2.500")]),
        ("Tom was born on May 5, 2010.", "汤姆出生于5010年5月5日。", [("2010", "5010")]),
        ("Paris, October 3, 2024", "1024年1月3日，巴黎", [("2024", "1024")]),
        ("1 ship", "船", [("1", "")]),
        ("On 14 March 27 members met.", "3月14日成员们见面。", [("27", "")]),
        ("On 14 March 27 members met.", "3月14日72名成员见面。", [("27", "72")]),
        ("In 2019 its 27 members met.", "2019年3月2019日成员们见面。", [("27", "3")]),
        ("In 2019 its 27 members met.", "2019年2019日成员们见面。", [("27", "")]),
    ],
)
def test_a_number_that_does_not_is_told_with_what_it_became(english: str, chinese: str, lost: list) -> None:
    expected = tuple(LostNumber(*each) for each in lost)
    assert lost_numbers(english, chinese) == expected


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


def test_a_word_that_votes_for_a_token_is_not_tried():
    words = made("the trophy fits the suitcase", "奖杯放进箱子").src
    votes = np.zeros((6, len(words)))
    assert may_be_traceless(words, votes) == [1, 2, 4], "articles are never tried"
    votes[2, 2], votes[5, 4] = SURE_TRACE, SURE_TRACE - 0.1
    assert may_be_traceless(words, votes) == [1, 4]
