"""Vocabularies that are kept and grow with the words of new pairs."""

from __future__ import annotations

import pytest

from model.errors import CheckpointError
from model.own.text.digits import with_runs, written_before
from model.own.text.tokenize import CharacterTokenizer, EnglishTokenizer
from model.training.corpus import RAREST_PAIR, english_words, grown, learn_characters, learn_english, with_merges

LETTERS = "a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9"
OLD = 4 * ["Tom likes the red car.", "It was too big for the box.", LETTERS, LETTERS.replace(" ", "")]
TROPHY = "The trophy was too big for the suitcase in 2004."
NEW = [(TROPHY, "2004年奖杯太大了，箱子装不下。", "written")] * RAREST_PAIR


@pytest.fixture(scope="module")
def old() -> tuple[EnglishTokenizer, CharacterTokenizer]:
    src, tgt = learn_english(OLD, 420), learn_characters(["汤姆喜欢红车。太大了"], 0, 1)
    return EnglishTokenizer(with_runs(src.subwords), src.casing), tgt


def test_a_word_that_is_frequent_in_new_pairs_becomes_one_token_behind_those_that_were_there(old) -> None:
    src, tgt = old
    assert len(src.encode("trophy")) > 1
    wide_src, wide_tgt = grown(src, tgt, NEW, merges=200)
    assert [token.text for token in wide_src.encode("trophy")] == ["▁trophy"]
    assert [token.text for token in wide_tgt.encode("奖杯")] == ["奖", "杯"]
    for before, after in ((src, wide_src), (tgt, wide_tgt)):
        size = before.vocab_size
        known = [before.subwords.id_to_token(number) for number in range(size)]
        assert [after.subwords.id_to_token(number) for number in range(size)] == known
        assert after.vocab_size > size


def test_every_new_token_was_written_by_pieces_that_spell_it(old) -> None:
    src, tgt = old
    wide, _ = grown(src, tgt, NEW, merges=200)
    parts = written_before(wide.subwords, src.subwords)
    for number, ids in enumerate(parts, src.vocab_size):
        assert "".join(src.subwords.id_to_token(part) for part in ids) == wide.subwords.id_to_token(number)
        assert len(ids) > 1
    with pytest.raises(CheckpointError, match="number their tokens differently"):
        written_before(src.subwords, wide.subwords)


def test_what_is_rare_or_a_number_stays_in_pieces_and_old_sentences_are_cut_no_finer(old) -> None:
    src, tgt = old
    wide, narrow = grown(
        src, tgt, [*NEW[1:], ("A xylophone!", "木琴！", ""), *2 * [("Eh", "e\u0301\u05b7", "")]], merges=200
    )
    pieces = [token.text for token in wide.encode("xylophone trophy 2004")]
    assert pieces.count("▁xylophone") == pieces.count("▁trophy") == 0, "seen too seldom"
    assert narrow.subwords.token_to_id("琴") is None
    assert narrow.subwords.token_to_id("\u0301") is None, "a mark alone is no character"
    wide, _ = grown(src, tgt, NEW, merges=200)
    assert [token.text for token in wide.encode("2004")] == ["▁2", "00", "4"]
    for sentence in OLD:
        assert len(wide.encode(sentence)) <= len(src.encode(sentence))


def test_merges_are_those_of_byte_pair_encoding_worked_by_hand(old) -> None:
    src, _ = old
    words = {"▁zq": 3 * RAREST_PAIR, "▁zqx": 2 * RAREST_PAIR}
    pieces = src.subwords.encode(["▁zqx"], is_pretokenized=True).tokens
    assert pieces == ["▁z", "q", "x"]
    wide = with_merges(src.subwords, words, merges=9)
    assert [wide.id_to_token(number) for number in range(src.vocab_size, wide.get_vocab_size())] == ["▁zq", "▁zqx"]
    assert with_merges(src.subwords, words, merges=0).get_vocab_size() == src.vocab_size


def test_words_are_counted_in_their_usual_casing(old) -> None:
    src, _ = old
    counts = english_words(src, ["The red car.", "the Red car", "Tom, 20 cars"])
    assert counts["▁the"] == 2
    assert counts["▁car"] == 2
    assert not any(character.isdigit() for word in counts for character in word)
