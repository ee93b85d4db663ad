"""Runs of equal digits as tokens, and weights that go on with them."""

from __future__ import annotations

import pytest
import torch

from model.errors import CheckpointError
from model.own.network.config import TransformerConfig
from model.own.network.transformer import Transformer
from model.own.text.digits import with_runs, written_before
from model.own.text.tokenize import CharacterTokenizer, EnglishTokenizer
from model.training.corpus import learn_characters, learn_english
from model.training.loop import grow

SENTENCES = 2 * ["Call 0123456789 at 9, 8, 7, 6, 5, 4, 3, 2, 1 or 0 o'clock.", "It costs 20 - 30 dollars."]


@pytest.fixture(scope="module")
def before() -> EnglishTokenizer:
    return learn_english(SENTENCES, 500)


@pytest.fixture(scope="module")
def english(before: EnglishTokenizer) -> EnglishTokenizer:
    return EnglishTokenizer(with_runs(before.subwords), before.casing)


@pytest.fixture(scope="module")
def chinese() -> CharacterTokenizer:
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
def test_up_to_four_equal_digits_of_a_word_are_one_token_that_knows_its_place(english, text: str, tokens: str) -> None:
    found = english.encode(text)
    assert [token.text for token in found] == tokens.split()
    assert [text[token.start : token.end] for token in found] == [part.strip("▁") for part in tokens.split()]


def test_a_vocabulary_without_runs_is_as_it_was_and_what_was_added_stands_behind_it(before, english) -> None:
    assert [token.text for token in before.encode("2004")] == ["▁2", "0", "0", "4"]
    size = before.vocab_size
    known = [before.subwords.id_to_token(number) for number in range(size)]
    assert [english.subwords.id_to_token(number) for number in range(size)] == known
    assert with_runs(english.subwords) is english.subwords


@pytest.mark.parametrize("runs", ["0", "55", "000", "4444", "7777 7", "1 0000 0 1", "00 11 22 33 44", "555 01 9 2"])
def test_chinese_writes_a_number_as_it_is(chinese, runs: str) -> None:
    number = runs.replace(" ", "")
    tokens = chinese.encode(f"电话{number}号")
    assert [token.text for token in tokens] == ["电", "话", *runs.replace("01", "0 1").split(), "号"]
    assert chinese.decode([token.id for token in tokens]) == f"电话{number}号"


def test_a_checkpoint_of_old_goes_on_with_new_tokens_near_those_that_wrote_them(before, english) -> None:
    parts = written_before(english.subwords, before.subwords)
    numbers = {before.subwords.id_to_token(i): i for i in range(before.vocab_size)}
    added = english.subwords.token_to_id("▁22")
    assert parts[added - before.vocab_size] == [numbers["▁2"], numbers["2"]]
    old = Transformer(TransformerConfig(before.vocab_size, 30, 16, 32, 4, 1, 1)).state_dict()
    new = Transformer(TransformerConfig(english.vocab_size, 30, 16, 32, 4, 1, 1))
    grow(old, new, {"encoder": parts})
    name = "encoder.embedding.tokens.weight"
    grown = new.state_dict()[name]
    assert torch.equal(grown[: before.vocab_size], old[name])
    mean, spread = (old[name][numbers["▁2"]] + old[name][numbers["2"]]) / 2, old[name].std() / 2
    assert 0.5 * spread < (grown[added] - mean).std() < 2 * spread, "near its mean, and apart from it"
    with pytest.raises(RuntimeError, match="size mismatch"):
        grow(old, new)


def test_weights_of_another_vocabulary_are_refused(english) -> None:
    other = learn_english(["Nothing of that is known here, sir."], 500)
    with pytest.raises(CheckpointError, match="number their tokens differently"):
        written_before(english.subwords, other.subwords)
