from __future__ import annotations

import pytest

from model.errors import MAX_CHARACTERS, MAX_SRC_TOKENS, EmptySentenceError, SentenceTooLongError, UnknownCharacterError
from model.evaluation.corpus import evaluate, score
from model.trace import TracedTranslation
from model.translator import Translator, translate_text


def test_evaluate_translates_as_translate_does(translator: Translator, pairs: list[tuple[str, str]]) -> None:
    result = evaluate(translator, pairs)
    assert list(result.translations) == [translate_text(translator, english).text for english, _ in pairs]
    assert result.refused == {}
    assert result.scores == score(result.translations, [chinese for _, chinese in pairs])
    beam = evaluate(translator, pairs[:2], beam=3)
    assert list(beam.translations) == [translator.translate(english, beam=3).text for english, _ in pairs[:2]]


def test_evaluate_counts_refused_sentences_as_untranslated(translator: Translator) -> None:
    result = evaluate(translator, [("I love you.", "我爱你。"), ("word " * 250, "字"), (" ", "空")])
    assert result.translations[1:] == ("", "")
    assert result.translations[0] == translator.translate("I love you.").text
    assert list(result.refused) == [2, 3]
    assert "limit is 1,000" in result.refused[2]


def test_scores_are_whole_only_for_the_reference_itself() -> None:
    assert score(["我爱你。你爱我。"], ["我爱你。你爱我。"]).bleu == pytest.approx(100)
    assert score(["我爱你。你爱我。"], ["动物累了，很累。"]).bleu < 20
    assert "tok:zh" in score(["我"], ["我"]).signature
    assert score(["cba54321"], ["cba54321"], by_letter=True).bleu == pytest.approx(100)


def test_blank_and_endless_texts_are_refused_in_a_sentence(translator: Translator) -> None:
    for text in ("", "  \n\t"):
        with pytest.raises(EmptySentenceError, match="nothing to translate"):
            translator.translate(text)
    with pytest.raises(SentenceTooLongError, match="1,005 characters; the limit is 1,000"):
        translator.translate("word " * 201)
    with pytest.raises(SentenceTooLongError, match=f"tokens; the limit is {MAX_SRC_TOKENS}"):
        translator.translate("x " * (MAX_CHARACTERS // 2))
    with pytest.raises(EmptySentenceError, match="to force is empty"):
        translator.trace("I love you.", "")
    with pytest.raises(SentenceTooLongError, match="to force has more than"):
        translator.trace("I love you.", "我" * 600)


def test_capture_changes_no_translation(translator: Translator) -> None:
    plain = translator.translate("Tom didn't see the red car.")
    traced = translator.translate("Tom didn't see the red car.", capture=True)
    assert not isinstance(plain, TracedTranslation)
    assert (plain.text, plain.tgt, plain.tgt_ids) == (traced.text, traced.tgt, traced.tgt_ids)
    assert plain.log_probs == pytest.approx(traced.log_probs, abs=1e-4)


def test_labels_point_into_both_texts(translator: Translator) -> None:
    found = translator.translate("  Tom didn't\nsee the car.")
    for text, labels in ((found.source, found.src), (found.text, found.tgt)):
        assert labels
        for label in labels:
            shown = label.text.removeprefix("##")
            assert shown == "␣" or text[label.start : label.end].strip() == shown


def test_a_forced_translation_is_as_probable_as_the_found_one(en_zh: Translator) -> None:
    found = en_zh.translate("I love you.")
    forced = en_zh.trace("I love you.", found.text)
    assert (forced.text, forced.tgt_ids) == (found.text, found.tgt_ids)
    assert len(forced.log_probs) == len(forced.tgt) + 1
    assert forced.log_probs == pytest.approx(found.log_probs, abs=1e-4)
    other = en_zh.trace("Tom is tired.", found.text)
    assert sum(other.log_probs) < sum(found.log_probs) - 1


def test_a_letter_by_letter_checkpoint_reads_only_what_it_knows() -> None:
    reverse = Translator.from_checkpoint("reverse", device="cpu")
    found = reverse.translate("HeadLight")
    assert found.text == "thgildaeh"
    assert [label.text for label in found.src] == list("HeadLight")
    for text, unknown in (("head light", "' '"), ("naïve", "'ï'"), ("İb", "'İ'")):
        with pytest.raises(UnknownCharacterError, match=f"reverse does not know the character {unknown}"):
            reverse.translate(text)
    with pytest.raises(SentenceTooLongError, match="25 tokens; the limit is 24") as caught:
        reverse.translate("a" * 25)
    assert caught.value.tokens == 24


def test_half_a_surrogate_pair_is_translated_like_any_character(translator: Translator) -> None:
    assert translator.translate("a \ud800 b").src[1].start == 2
