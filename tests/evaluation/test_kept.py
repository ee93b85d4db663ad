"""At which confidence to warn, on sentences whose truth is known; numbers and names; sentences of a text."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from model.__main__ import main
from model.analysis.what_if.repair import load_warning
from model.analysis.what_if.verdict import verdict
from model.commands.release.warning import (
    MOST_FALSE,
    Judged,
    JudgedSentence,
    by_reading,
    by_reference,
    choose,
    offers,
    rates,
    read_judged,
)
from model.errors import CorpusError
from model.evaluation.kept import KeptSentence, kept, missing_names, missing_numbers, read_kept
from model.own.translator import spans_of, translate_text
from model.sentences import LONG_QUOTE, parts_of, sentence_spans
from model.trace import join_parts
from model.training.prepare import LISTS, known_names
from model.translator import Translator


@pytest.mark.parametrize(
    ("wanted", "translation", "missing"),
    [
        ("555-0192", "中午之前拨555-0192。", []),
        ("555-0192", "中午之前拨555-019。", ["555-0192"]),
        ("1150", "涨到１，１５０美元。", []),
        ("1150", "涨到11500美元。", ["1150"]),
        ("4.50", "要4.5美元。", ["4.50"]),
        ("4", "要4.50美元。", ["4"]),
        ("3月 12", "我们3月12日种的。", []),
        ("3月 12", "我们三月十二日种的。", []),
        ("3月 12", "我们12月12日种的。", ["3月"]),
        ("7", "七点开始。", []),
        ("7", "十七点开始。", ["7"]),
        ("2 6", "从两点到六点。", []),
        ("17", "十七分。", ["17"]),
        ("4:30|4点30|4点半", "四点半关门。", []),
        ("4:30|4点30|4点半", "4：30关门。", []),
        ("4:30|4点30|4点半", "4点关门。", ["4:30"]),
        ("6120 6210", "6210还是6120？", []),
        ("12 12", "12月。", ["12"]),
    ],
)
def test_numbers_must_stand_exactly(wanted: str, translation: str, missing: list[str]) -> None:
    assert missing_numbers([item.split("|") for item in wanted.split()], translation) == missing


def test_a_name_is_right_in_any_of_its_forms() -> None:
    assert missing_names([("玛丽", "瑪麗"), ("巴黎",)], "瑪麗在Paris。") == ["巴黎"]


def test_what_is_kept_is_counted_by_number_name_and_sentence() -> None:
    sentences = [
        KeptSentence("Tom is 21 or 22.", (("21",), ("22",)), (("汤姆",),)),
        KeptSentence("I am 33.", (("33",),), ()),
        KeptSentence("Mary left.", (), (("玛丽",),)),
        KeptSentence(f"From 44 to 55 it rained {'and rained ' * 6}on.", (("44",), ("55",)), ()),
    ]
    result = kept(sentences, ["汤姆21岁。", "我33岁。", "她走了。", "从44到5。"])
    assert (result.numbers, result.sentences, result.names) == ((3, 5), (1, 3), (1, 2))
    assert result.long_numbers == (1, 2)
    assert [(text, missing) for _, text, missing in result.failures] == [
        ("汤姆21岁。", ("22",)),
        ("她走了。", ("玛丽",)),
        ("从44到5。", ("55",)),
    ]


def test_the_sentences_that_ship_are_no_filled_templates_and_say_what_they_hold() -> None:
    sentences = read_kept()
    assert len({sentence.english for sentence in sentences}) == 200
    known = {english for kind in known_names().values() for english, _ in kind}
    names = re.compile(rf"\b(?:{'|'.join(known)})\b|\$?\d[\d,.:-]*\d|\d")
    filled = re.compile(r"\{\w+\}")
    frames = {names.sub("…", sentence.english) for sentence in sentences}
    lines = (LISTS / "templates.tsv").read_text(encoding="utf-8").splitlines()
    assert not frames & {filled.sub("…", line.split("\t")[0]) for line in lines}
    long = [each for each in sentences if len(each.english.split()) >= 15 and len(each.numbers) >= 2]
    assert len(long) >= 70, "long sentences with two numbers are the hardest"
    for sentence in sentences:
        digits = Counter(re.sub(r"\D", "", forms[0]) for forms in sentence.numbers)
        there = Counter(re.sub(r"\D", "", run) for run in re.findall(r"\d[\d,.:-]*", sentence.english))
        assert there <= digits, sentence.english
        for forms in sentence.names:
            assert all(re.search(r"[\u4e00-\u9fff]", form) for form in forms)


def test_dates_with_a_year_millions_and_fractions_are_among_them() -> None:
    sentences = {each.english: each.numbers for each in read_kept()}
    for sort, least in ((r"[A-Z]\w+ \d+, \d{4}\b", 5), (r"\d million", 4), (r"\b(thirds|quarter of|fifths|Half) ", 4)):
        assert sum(bool(re.search(sort, english)) for english in sentences) >= least, sort
    for english, right, wrong in (
        ("The new stadium will cost 40 million euros.", "花费4,000万欧元", "花费40万欧元"),
        ("The rescue of the whale cost 2.5 million dollars.", "花了250万美元", "花了2.500美元"),
        ("Some 3 million people watched the final at home.", "有三百万人", "有三万人"),
        ("Two thirds of our pupils walk home alone.", "三分之二的学生", "三分之一的学生"),
        ("Mozart first saw the light of day on January 27, 1756.", "1756年1月27日", "7561年1月27日"),
    ):
        assert missing_numbers(sentences[english], right) == []
        assert missing_numbers(sentences[english], wrong) != []


def test_bad_lines_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.tsv"
    path.write_text("Hello.\t\t\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="line 1: expected English"):
        read_kept(path)


def parts(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["I love you.", "You love me!", "Do you?"],
        ["Mr. Lee met Dr. Wu.", "They talked."],
        ["It costs 3.5 dollars.", "I paid."],
        ["The U.S. Army left.", "He lives in the U.S.", "He likes it."],
        ["J. R. Smith is here.", "So am I.", "We talk."],
        ["We met at 5 p.m. on Monday.", "It rained."],
        ["No. 5 is mine.", "No.", "I have 2.", "3 are left."],
        ["Well... I don't know.", "Wait…", "They are here."],
        ['He said, "Stop. Go home."', "Then he left."],
        ['"I am tired," said Tom.', '"Let\'s go."'],
        ["“Hi.”", "She smiled.", "(Really.)", "What?!", "No."],
        ["i love you.", "you love me.", "do you?"],
    ],
)
def test_a_text_is_cut_between_its_sentences_only(expected: list[str]) -> None:
    assert parts(" ".join(expected)) == expected
    assert parts("  " + "\n".join(expected) + "\n\n") == expected


def test_line_breaks_are_spaces_and_blank_lines_end_a_sentence() -> None:
    assert parts("A title\n\nOne line\nand its rest. Next") == ["A title", "One line\nand its rest.", "Next"]
    assert parts("Hello.World is one") == ["Hello.World is one"]
    assert parts(" \n\n ") == []


def test_a_long_quotation_is_cut_inside() -> None:
    inside = "I am here. " * (LONG_QUOTE // 10)
    assert len(parts(f'He said: "{inside}"')) > 5
    assert len(parts('He said: "I am here. I am here."')) == 1


def test_translations_are_joined_without_space_where_chinese_needs_none() -> None:
    assert join_parts(["我爱你。", "Tom走了。", "OK", "3个。"]) == "我爱你。Tom走了。OK 3个。"
    assert join_parts(["", "好。", ""]) == "好。"


def test_each_sentence_has_its_own_translation_and_maps(translator: Translator) -> None:
    text = " Tom is tired.  I love you. "
    found = translate_text(translator, text, capture=True)
    assert [text[start:end] for start, end in found.spans] == ["Tom is tired.", "I love you."]
    for part, source in zip(found.parts, ("Tom is tired.", "I love you."), strict=True):
        alone = translator.translate(source, capture=True)
        assert (part.source, part.text) == (source, alone.text)
        assert part.trace is not None
        assert part.trace.src == alone.trace.src  # type: ignore[union-attr]
    assert found.text == join_parts([part.text for part in found.parts])
    assert found.finished == all(part.finished for part in found.parts)
    joint = translate_text(translator, text, joint=True)
    assert [part.source for part in joint.parts] == [text]


def test_one_sentence_keeps_the_space_around_it(translator: Translator) -> None:
    assert spans_of(translator, " I love you. ") == [(0, 13)]
    assert parts_of("ab. Cd.", "characters") == [(0, 7)]
    assert parts_of("ab. Cd.", "english") == [(0, 3), (4, 7)]


def judged(confidence, wrong, doubted=None) -> Judged:
    """Sentences of which none is doubted for another reason than confidence, or these."""
    others = np.zeros(len(confidence), bool) if doubted is None else np.array(doubted, bool)
    return Judged(np.array(confidence), np.array(confidence), np.array(wrong, bool), others, others)


PARTED = judged([0.2, 0.3, 0.25, 0.28, 0.8, 0.9, 0.7, 0.75], [1, 1, 1, 1, 0, 0, 0, 0])


def test_where_confidence_parts_wrong_from_right_every_warning_is_right() -> None:
    facts = rates(PARTED, choose(PARTED))
    assert (facts["caught"], facts["false_alarms"], facts["right"], facts["auc"]) == (1.0, 0.0, 1.0, 1.0)
    assert (facts["sentences"], facts["wrong"]) == (8, 4)


def test_the_threshold_is_the_highest_that_leaves_enough_of_the_right_ones_alone() -> None:
    many = judged([*np.arange(1, 21) / 21, 0.1], [0] * 20 + [1])
    threshold = choose(many)
    assert many.warned(threshold)[:20].mean() <= MOST_FALSE < many.warned(threshold + 0.01)[:20].mean()
    assert many.warned(threshold)[20]
    doubted = judged(many.confidence, many.wrong, [True] * 5 + [False] * 16)
    with pytest.raises(ValueError, match="too few right translations"):
        choose(doubted)
    with pytest.raises(ValueError, match="too few right translations"):
        choose(judged([1.0], [1]))


def test_rates_are_of_sentences_that_did_not_choose() -> None:
    """Of five two of three wrong ones lie below it, and one of two right ones."""
    facts = rates(judged([0.1, 0.4, 0.9, 0.45, 0.8], [1, 1, 1, 0, 0]), 0.5)
    assert (facts["caught"], facts["false_alarms"], facts["right"]) == (0.667, 0.5, 0.667)
    surer = rates(judged([0.9, 0.8], [1, 0]), 0.5)
    assert (surer["caught"], surer["right"], surer["bad_right"]) == (0.0, None, None)


def test_a_named_fault_warns_whatever_the_confidence_and_has_a_rate_of_its_own() -> None:
    facts = rates(judged([0.9, 0.9, 0.9, 0.1], [1, 0, 0, 1], [True, True, False, False]), 0.5)
    assert (facts["caught"], facts["false_alarms"]) == (1.0, 0.5)
    assert (facts["bad"], facts["bad_right"]) == (0.5, 0.5)


def test_confidence_that_knows_nothing_has_half_the_area() -> None:
    assert rates(judged([0.5] * 8, [1, 1, 0, 0] * 2), 1.0)["auc"] == 0.5


def test_confidence_is_the_geometric_mean_of_the_token_probabilities(translator: Translator) -> None:
    own = np.exp(translator.translate("Tom saw it.").log_probs)
    assert verdict(translator.translate("Tom saw it.")).confidence == pytest.approx(
        float(np.prod(own) ** (1 / len(own))), rel=1e-5
    )


def test_each_sentence_has_its_verdict_and_what_is_far_from_its_reference_is_wrong(translator: Translator) -> None:
    rows = [("Tom saw it.", translator.translate("Tom saw it.").text), ("I see.", "Q")]
    found = by_reference(translator, rows, lambda said: (len(said.source) / 20, 0.5, said.source == "I see.", False))
    assert (found.confidence.tolist(), found.joint.tolist()) == ([11 / 20, 6 / 20], [0.5, 0.5])
    assert found.alone().joint.tolist() == [11 / 20, 6 / 20]
    assert (found.doubted.tolist(), found.bad.tolist()) == ([False, True], [False, False])
    assert found.wrong.tolist() == [False, True]


def test_the_command_saves_what_the_app_reads_and_says_why_not(
    checkpoint_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("Tom saw it.\t汤姆看见它。\n" * 4, encoding="utf-8")
    few = read_judged()[:12]  # an untrained model writes long ones
    monkeypatch.setattr("model.commands.release.warning.read_judged", lambda: few)
    argv = ["warning", "--tsv", str(pairs), "--checkpoint", str(checkpoint_folder), "--save", "--json"]
    assert main(argv) == 2  # which writes nothing that was judged
    assert "judged-en-zh.tsv: too few right translations" in capsys.readouterr().err
    monkeypatch.setattr("model.commands.release.warning.by_reading", lambda *_: PARTED)
    assert main(argv) == 0
    table = json.loads(capsys.readouterr().out)
    found, why = load_warning(str(checkpoint_folder), table["sha256"])
    assert (found, why) == (table, "")
    assert str(tmp_path) not in table["command"]
    assert load_warning(str(checkpoint_folder), "other") == (None, "stale")
    (checkpoint_folder / "warning.json").write_text('{"threshold": 7}', encoding="utf-8")
    assert load_warning(str(checkpoint_folder), table["sha256"]) == (None, "damaged")
    (checkpoint_folder / "warning.json").unlink()
    assert main(argv[:-1]) == 0
    said = capsys.readouterr().out
    assert "judged: caught 100.0% of 4 wrong ones, warned of 0.0% of 4 others" in said
    assert "more are translated otherwise by these weights: judge them anew" in said
    (checkpoint_folder / "warning.json").unlink()


def test_judged_translations_that_the_weights_no_longer_write_are_left_out(translator: Translator) -> None:
    texts = {english: translator.translate(english).text for english in ("Tom saw it.", "I see.", "Tom saw me.")}
    rows = [JudgedSentence(english, text, english != "I see.") for english, text in texts.items()]
    stale = JudgedSentence("I see.", "Q", True)
    found = by_reading(translator, [*rows, stale], lambda said: (1.0, 1.0, said.source == "Tom saw it.", False))
    assert (found.wrong.tolist(), found.doubted.tolist()) == ([True, False, True], [True, False, False])
    assert len(by_reading(translator, [stale], lambda _: (1.0, 1.0, True, True)).wrong) == 0


def test_what_is_offered_for_doubted_translations_is_counted_by_what_readers_said_of_both(en_zh: Translator) -> None:
    """Three of four are doubted; what is offered for one of them nobody has read, and for the last there is nothing."""
    lamp = "The lamp does not work because the bulb is broken."
    call = "I'm sorry that I missed your call; I was in the shower."
    sure, wolves = "I love you.", "Wolves live in packs and hunt together."
    rows = [JudgedSentence(each, en_zh.translate(each).text, each != sure) for each in (lamp, call, sure, wolves)]
    rows[1] = replace(rows[1], is_wrong=False)
    better = {each: en_zh.best_both_ways(each) for each in (lamp, call)}
    rows += [JudgedSentence(each, found.text, each == call, "offered") for each, found in better.items()]
    unsure = lambda found: (0.5, 1.0 if found.source == sure else 0.4, False, False)  # noqa: E731
    expected = {"doubted": 3, "offered": 3, "unread": 1, "right": 1, "right_before": 1}
    assert offers(en_zh, rows, unsure, 0.5) == expected
    assert offers(en_zh, rows, unsure, 0.3) == dict.fromkeys(expected, 0)


@pytest.mark.parametrize(
    "line", ["", "I see.\t我看见。\tright", "I see.\t我看见。\tperhaps\treports", "\t我看见。\tright\tchooses"]
)
def test_a_line_without_a_judgement_is_refused(line: str, tmp_path: Path) -> None:
    file = tmp_path / "judged.tsv"
    file.write_text(line and f"Tom saw it.\t汤姆看见它。\twrong\tchooses\n{line}\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="line 2: expected English" if line else "holds no sentence"):
        read_judged(file)
