"""Words whose embeddings lie near a word's own."""

from __future__ import annotations

import torch

from model.own.network.transformer import Transformer
from model.own.text.tokenize import EnglishTokenizer
from model.writing import WORD_START, Neighbour


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
