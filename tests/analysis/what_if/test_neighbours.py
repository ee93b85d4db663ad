"""Near words against a loop over the whole vocabulary."""

from __future__ import annotations

import numpy as np
import pytest

from model.own.source import neighbours
from model.translator import Translator
from model.writing import WORD_START


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def by_hand(translator: Translator, word: str) -> dict[str, float]:
    """Cosine of a word's embedding with that of every other word that is one piece."""
    tokenizer, found = translator.src_tokenizer, {}
    table = translator.model.encoder.embedding.tokens.weight.detach().double().numpy()
    own = table[tokenizer.encode(word)[0].id]
    for piece, token_id in tokenizer.subwords.get_vocab().items():
        other = piece.removeprefix(WORD_START)
        if piece.startswith(WORD_START) and tokenizer.casing.get(other.lower()) == other and other.isalpha():
            found[other] = cosine(own, table[token_id])
    return {other: value for other, value in found.items() if other.lower() != word.lower()}


@pytest.mark.parametrize("word", ["street", "red", "car"])
def test_the_nearest_words_come_first(translator: Translator, word: str) -> None:
    expected = sorted(by_hand(translator, word).items(), key=lambda pair: -pair[1])[:4]
    found = neighbours(translator.model, translator.src_tokenizer, word, 4)
    assert [each.word for each in found] == [other for other, _ in expected]
    assert [each.cosine for each in found] == pytest.approx([value for _, value in expected], abs=1e-5)


def test_a_word_is_not_near_itself_whatever_its_casing(translator: Translator) -> None:
    found = {each.word for each in neighbours(translator.model, translator.src_tokenizer, "STREET", 1000)}
    assert found == set(by_hand(translator, "street"))
    assert "street" not in found


def test_beginnings_of_words_are_no_words(translator: Translator) -> None:
    pieces = {piece.removeprefix(WORD_START) for piece in translator.src_tokenizer.subwords.get_vocab()}
    found = {each.word for each in neighbours(translator.model, translator.src_tokenizer, "red", 1000)}
    assert found < pieces
    assert all(len(translator.src_tokenizer.encode(word)) == 1 for word in found)
    assert not any(word in found for word in ("stre", "anim", "s"))


@pytest.mark.parametrize("word", ["Ljubljana", "xyzzy", "", "<script>"])
def test_what_is_spelt_in_pieces_has_no_near_words(translator: Translator, word: str) -> None:
    assert neighbours(translator.model, translator.src_tokenizer, word) == []
