"""Runs of equal digits as tokens, and weights that go on with them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import torch

from model.errors import CheckpointError
from model.own.network.config import TransformerConfig
from model.own.network.transformer import Transformer
from model.own.text.tokenize import (
    CharacterTokenizer,
    EnglishTokenizer,
    source_labels,
    target_labels,
    with_runs,
    word_spans,
    written_before,
)
from model.own.text.vocab import EOS_ID, SPECIAL_TOKENS, UNK_ID
from model.training.corpus import learn_characters, learn_english
from model.training.loop import grow
from model.writing import WORD_START

POOLS = (
    "abcXYZ .,!?'\"`()[]-—…",
    "中文字符，。",
    "\x00\x01\t\n\u2028\u200b\u200d\ufeff\u00ad",
    "👩‍🚀🇨🇳e\u0301ñ",
    "שלום مرحبا",
    "``''\"\"' \"",
    "1,000.50% $x$ \\",
    "<eos><bos></script><unk>",
    "İıßﬁŉǅ",
    "\ud800\udfff",
    "".join(map(chr, range(0xFFF0, 0x10020))),
)


@pytest.fixture(scope="module")
def english(checkpoint_folder: Path) -> EnglishTokenizer:
    return EnglishTokenizer.load(checkpoint_folder)


@pytest.fixture(scope="module")
def chinese(checkpoint_folder: Path) -> CharacterTokenizer:
    return CharacterTokenizer.load(checkpoint_folder)


def spelling(tokenizer: EnglishTokenizer, text: str) -> str:
    """What the tokens spell, byte tokens put together again."""
    spelt = b""
    for token in tokenizer.encode(text):
        piece = token.text
        spelt += bytes([int(piece[3:5], 16)]) if piece.startswith("<0x") else piece.replace("▁", " ").encode()
    return spelt.decode().strip()


def random_text(rng: random.Random) -> str:
    return "".join(rng.choice(rng.choice(POOLS)) for _ in range(rng.randint(1, 40)))


def test_no_text_has_an_unknown_token_and_every_span_points_into_it(english: EnglishTokenizer) -> None:
    rng = random.Random(7)
    for _ in range(300):
        text = random_text(rng)
        tokens = english.encode(text)
        covered = {place for token in tokens for place in range(token.start, token.end)}
        assert {place for place, char in enumerate(text) if not char.isspace()} <= covered, repr(text)
        assert all(token.id != UNK_ID and 0 <= token.start < token.end <= len(text) for token in tokens), repr(text)
        assert [token.word for token in tokens] == sorted(token.word for token in tokens), repr(text)


def test_target_spans_point_into_the_text_too(chinese: CharacterTokenizer) -> None:
    rng = random.Random(8)
    for _ in range(300):
        text = random_text(rng)
        tokens = chinese.encode(text)
        assert all(0 <= token.start < token.end <= len(text) for token in tokens), repr(text)


def test_special_tokens_that_are_typed_are_text(english: EnglishTokenizer, chinese: CharacterTokenizer) -> None:
    for tokenizer in (english, chinese):
        for special in SPECIAL_TOKENS:
            ids = [token.id for token in tokenizer.encode(f"a {special} b")]
            assert len(ids) > 3
            assert not {0, 1, EOS_ID} & set(ids)


def test_words_keep_the_visitors_spelling_and_their_place(english: EnglishTokenizer) -> None:
    text = "“Tom didn’t see   it,” she said."
    words = [text[start:end] for start, end in word_spans(text)]
    assert words == ["“", "Tom", "did", "n’t", "see", "it", ",", "”", "she", "said", "."]
    labels = source_labels(text, english.encode(text))
    assert [label.text for label in labels if label.word == 1] == ["Tom"]
    assert all(text[label.start : label.end] == label.text.removeprefix("##") for label in labels)


def test_a_full_stop_inside_a_text_is_a_word_of_its_own() -> None:
    text = "Tom is tired. Mary left."
    assert [text[start:end] for start, end in word_spans(text)] == ["Tom", "is", "tired", ".", "Mary", "left", "."]


def test_casing_is_the_usual_one(english: EnglishTokenizer) -> None:
    assert spelling(english, "THE STREET IS RED, TOM") == "the street is red, Tom"
    assert spelling(english, "The car is tom") == "the car is Tom"
    assert spelling(english, "MySQL") == "MySQL", "a casing never seen stays"


def test_a_name_never_seen_is_spelt(english: EnglishTokenizer) -> None:
    assert spelling(english, "Priya moved to Ljubljana.").replace(" ", "") == "PriyamovedtoLjubljana."
    assert spelling(english, "Žižek 😀").replace(" ", "") == "Žižek😀"


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("汤姆在Boston没看见红车。", "汤姆在Boston没看见红车。"),
        ("我们 昨天 搬到了 New York 。", "我们昨天搬到了New York。"),
        ("现在５点。", "现在5点。"),
        ("我叫Ｍａｒｙ", "我叫Mary"),
    ],
)
def test_chinese_with_latin_names_survives_the_round_trip(chinese: CharacterTokenizer, text: str, back: str) -> None:
    ids = [token.id for token in chinese.encode(text)]
    assert UNK_ID not in ids
    assert chinese.decode(ids) == back
    pieces = [chinese.piece(token_id) for token_id in ids]
    labels = target_labels(pieces)
    assert "".join(back[label.start : label.end] for label in labels).replace(" ", "") == back.replace(" ", "")


def test_spans_begin_after_a_leading_space_that_nobody_sees() -> None:
    labels = target_labels([WORD_START, "Tom", "来", "了"])
    assert [(label.start, label.end) for label in labels] == [(0, 0), (0, 3), (3, 4), (4, 5)]
    assert [(label.start, label.end) for label in target_labels([f"{WORD_START}Tom", "来"])] == [(0, 3), (3, 4)]
    assert [(label.start, label.end) for label in target_labels(["我", f"{WORD_START}Tom"])] == [(0, 1), (2, 5)]


def test_a_chinese_character_never_seen_is_unknown_with_its_span(chinese: CharacterTokenizer) -> None:
    tokens = chinese.encode("我𠮷你")
    assert [token.id == UNK_ID for token in tokens] == [False, True, False]
    assert [(token.start, token.end) for token in tokens] == [(0, 1), (1, 2), (2, 3)]
    assert chinese.decode([token.id for token in tokens]) == "我你"


def test_tokenizers_survive_saving(english: EnglishTokenizer, tmp_path: Path) -> None:
    english.save(tmp_path)
    again = EnglishTokenizer.load(tmp_path)
    assert again.encode("Tom didn't see the Ljubljana street.") == english.encode(
        "Tom didn't see the Ljubljana street."
    )


SENTENCES = 2 * ["Call 0123456789 at 9, 8, 7, 6, 5, 4, 3, 2, 1 or 0 o'clock.", "It costs 20 - 30 dollars."]


@pytest.fixture(scope="module")
def before() -> EnglishTokenizer:
    return learn_english(SENTENCES, 500)


@pytest.fixture(scope="module")
def english_with_runs(before: EnglishTokenizer) -> EnglishTokenizer:
    return EnglishTokenizer(with_runs(before.subwords), before.casing)


@pytest.fixture(scope="module")
def chinese_with_runs() -> CharacterTokenizer:
    return CharacterTokenizer(with_runs(learn_characters(["电话0123456789号"], 0, 1).subwords))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("555-0192", "▁555 - 0 1 9 2"),
        ("at 70,000", "▁at ▁7 0 , 000"),
        ("1000000", "▁1 0000 00"),
        ("99999", "▁9999 9"),
        ("5 5 55", "▁5 ▁5 ▁55"),
        ("2004", "▁2 00 4"),
    ],
)
def test_up_to_four_equal_digits_of_a_word_are_one_token_that_knows_its_place(
    english_with_runs, text: str, tokens: str
) -> None:
    found = english_with_runs.encode(text)
    assert [token.text for token in found] == tokens.split()
    assert [text[token.start : token.end] for token in found] == [part.strip("▁") for part in tokens.split()]


def test_a_vocabulary_without_runs_is_as_it_was_and_what_was_added_stands_behind_it(before, english_with_runs) -> None:
    assert [token.text for token in before.encode("2004")] == ["▁2", "0", "0", "4"]
    size = before.vocab_size
    known = [before.subwords.id_to_token(number) for number in range(size)]
    assert [english_with_runs.subwords.id_to_token(number) for number in range(size)] == known
    assert with_runs(english_with_runs.subwords) is english_with_runs.subwords


@pytest.mark.parametrize("runs", ["0", "55", "000", "4444", "7777 7", "1 0000 0 1", "00 11 22 33 44", "555 01 9 2"])
def test_chinese_writes_a_number_as_it_is(chinese_with_runs, runs: str) -> None:
    number = runs.replace(" ", "")
    tokens = chinese_with_runs.encode(f"电话{number}号")
    assert [token.text for token in tokens] == ["电", "话", *runs.replace("01", "0 1").split(), "号"]
    assert chinese_with_runs.decode([token.id for token in tokens]) == f"电话{number}号"


def test_a_checkpoint_of_old_goes_on_with_new_tokens_near_those_that_wrote_them(before, english_with_runs) -> None:
    parts = written_before(english_with_runs.subwords, before.subwords)
    numbers = {before.subwords.id_to_token(i): i for i in range(before.vocab_size)}
    added = english_with_runs.subwords.token_to_id("▁22")
    assert parts[added - before.vocab_size] == [numbers["▁2"], numbers["2"]]
    old = Transformer(TransformerConfig(before.vocab_size, 30, 16, 32, 4, 1, 1)).state_dict()
    new = Transformer(TransformerConfig(english_with_runs.vocab_size, 30, 16, 32, 4, 1, 1))
    grow(old, new, {"encoder": parts})
    name = "encoder.embedding.tokens.weight"
    grown = new.state_dict()[name]
    assert torch.equal(grown[: before.vocab_size], old[name])
    mean, spread = (old[name][numbers["▁2"]] + old[name][numbers["2"]]) / 2, old[name].std() / 2
    assert 0.5 * spread < (grown[added] - mean).std() < 2 * spread, "near its mean, and apart from it"
    with pytest.raises(RuntimeError, match="size mismatch"):
        grow(old, new)


def test_weights_of_another_vocabulary_are_refused(english_with_runs) -> None:
    other = learn_english(["Nothing of that is known here, sir."], 500)
    with pytest.raises(CheckpointError, match="number their tokens differently"):
        written_before(english_with_runs.subwords, other.subwords)
