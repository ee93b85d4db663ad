from __future__ import annotations

import pytest

from model.own.paragraphs import spans_of, translate_text
from model.sentences import LONG_QUOTE, parts_of, sentence_spans
from model.trace import join_parts
from model.translator import Translator


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
