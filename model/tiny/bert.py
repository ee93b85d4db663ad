"""A tiny BERT: an encoder that fills in what is masked (Devlin et al. 2019)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers
from torch import Tensor

from model.tiny.corpus import POSITIONS, padded

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
MASKED = 0.25  # share of the tokens that are asked for: more than BERT's 15 %, as few are read
_SIZES: dict[str, Any] = {"hidden_size": 96, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 192}
_VOCABULARY = 2_000
NOT_ASKED = -100


def tokenizer(texts: Sequence[str], size: int = _VOCABULARY) -> transformers.PreTrainedTokenizerBase:
    """Word pieces of these texts, without capitals."""
    learnt = Tokenizer(models.WordPiece(unk_token=SPECIAL[1]))
    learnt.normalizer = normalizers.BertNormalizer(lowercase=True)
    learnt.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=SPECIAL, show_progress=False)
    learnt.train_from_iterator(texts, trainer)
    return transformers.BertTokenizer(vocab=dict(learnt.get_vocab()))


def untrained(vocabulary: int, seed: int) -> transformers.PreTrainedModel:
    """The model before its first step."""
    torch.manual_seed(seed)
    more: dict[str, Any] = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "initializer_range": 0.05}
    places: dict[str, Any] = {"max_position_embeddings": POSITIONS, "type_vocab_size": 1}
    return transformers.BertForMaskedLM(transformers.BertConfig(vocab_size=vocabulary, **_SIZES, **more, **places))


def join(one: list[int], other: list[int]) -> list[int]:
    """Two sentences between one [CLS] and one [SEP]."""
    return [*one[:-1], *other[1:]]


class Masking:
    """Hides some tokens of each row: 80 % become [MASK], 10 % another token, 10 % stay, as in BERT."""

    def __init__(self, words: Any, seed: int) -> None:
        self.pad, self.mask, self.size = words.pad_token_id, words.mask_token_id, len(words)
        self.rng = random.Random(seed)

    def __call__(self, rows: Sequence[list[int]]) -> tuple[Tensor, Tensor]:
        """What is read, and what is asked for (NOT_ASKED elsewhere), [rows, longest] each."""
        read, asked = [], []
        for row in rows:
            inner = range(1, len(row) - 1)
            hidden = {at for at in inner if self.rng.random() < MASKED} or {self.rng.choice(inner)}
            read.append([self._instead(token) if at in hidden else token for at, token in enumerate(row)])
            asked.append([token if at in hidden else NOT_ASKED for at, token in enumerate(row)])
        return padded(read, self.pad), padded(asked, NOT_ASKED)

    def _instead(self, token: int) -> int:
        draw = self.rng.random()
        return self.mask if draw < 0.8 else self.rng.randrange(len(SPECIAL), self.size) if draw < 0.9 else token


def loss(model: Any, read: Tensor, asked: Tensor, pad: int) -> Tensor:
    """Mean cross-entropy of what is asked for, in nats; only there are logits computed."""
    states = model.bert(input_ids=read, attention_mask=(read != pad).long()).last_hidden_state
    wanted = asked != NOT_ASKED
    return F.cross_entropy(model.cls(states[wanted]), asked[wanted])


def scores(model: Any, words: Any, texts: Sequence[str]) -> dict[str, float]:
    """Share of tokens, hidden one at a time behind [MASK], that are the first guess and among the first five."""
    first = five = total = 0
    with torch.inference_mode():
        for text in texts:
            ids = words(text)["input_ids"][:POSITIONS]
            if len(ids) < 4:
                continue
            places = torch.arange(1, len(ids) - 1)
            read = torch.tensor(ids).repeat(len(places), 1)
            read[torch.arange(len(places)), places] = words.mask_token_id
            found = model(input_ids=read).logits[torch.arange(len(places)), places].topk(5).indices
            right = found == torch.tensor(ids)[places][:, None]
            first, five, total = first + int(right[:, 0].sum()), five + int(right.any(1).sum()), total + len(places)
    return {"masked_first_percent": round(100 * first / total, 1), "masked_top5_percent": round(100 * five / total, 1)}
