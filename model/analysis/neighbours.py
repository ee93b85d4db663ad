"""Words whose embeddings lie near a word's own."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from model.tokenize import WORD_START, EnglishTokenizer
from model.transformer import Transformer


@dataclass(frozen=True)
class Neighbour:
    """A whole word of the vocabulary and the cosine of its source embedding with the word's own."""

    word: str
    cosine: float


@torch.inference_mode()
def neighbours(model: Transformer, tokenizer: EnglishTokenizer, word: str, n: int = 10) -> list[Neighbour]:
    """The ``n`` whole words nearest to ``word`` in source-embedding space, nearest first.

    Empty where the word is spelt in pieces: then no single embedding stands for it. The vocabulary
    also holds beginnings of words; only pieces that the training text has as words, in their usual
    casing, are candidates.
    """
    tokens = tokenizer.encode(word)
    if len(tokens) != 1 or not tokens[0].text.startswith(WORD_START):
        return []
    table = torch.nn.functional.normalize(model.encoder.embedding.tokens.weight, dim=-1)
    cosine = table @ table[tokens[0].id]
    found: list[Neighbour] = []
    for token_id in cosine.argsort(descending=True).tolist():
        piece = tokenizer.subwords.id_to_token(token_id) or ""
        candidate = piece.removeprefix(WORD_START)
        is_word = candidate.isalpha() and tokenizer.casing.get(candidate.lower()) == candidate
        if piece.startswith(WORD_START) and is_word and candidate.lower() != word.lower():
            found.append(Neighbour(candidate, float(cosine[token_id])))
        if len(found) == n:
            break
    return found
