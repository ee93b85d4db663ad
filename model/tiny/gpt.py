"""A tiny GPT: a decoder that goes on from a prompt, each token seeing only what stands before it."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor

from model.tiny.corpus import POSITIONS, padded

END = "<|endoftext|>"
_SIZES: dict[str, Any] = {"n_embd": 96, "n_layer": 4, "n_head": 4, "n_inner": 192}
_VOCABULARY = 2_000


def tokenizer(texts: Sequence[str], size: int = _VOCABULARY) -> transformers.PreTrainedTokenizerBase:
    """Byte pairs of these texts."""
    learnt = Tokenizer(models.BPE())
    learnt.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    learnt.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=[END], initial_alphabet=alphabet, show_progress=False)
    learnt.train_from_iterator(texts, trainer)
    model = json.loads(learnt.to_str())["model"]
    merges: Any = [tuple(pair) for pair in model["merges"]]
    return transformers.GPT2Tokenizer(vocab=model["vocab"], merges=merges, unk_token=END, bos_token=END, eos_token=END)


def untrained(vocabulary: int, seed: int) -> transformers.PreTrainedModel:
    """The model before its first step."""
    torch.manual_seed(seed)
    more: dict[str, Any] = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0, "initializer_range": 0.05}
    ids: dict[str, Any] = {"bos_token_id": 0, "eos_token_id": 0}
    config = transformers.GPT2Config(vocab_size=vocabulary, n_positions=POSITIONS, **_SIZES, **more, **ids)
    return transformers.GPT2LMHeadModel(config)


def join(one: list[int], other: list[int]) -> list[int]:
    """Two sentences on end, each ended."""
    return [*one, *other]


def batch(rows: Sequence[list[int]]) -> tuple[Tensor, Tensor]:
    """Ids and where they are real, [rows, longest] each."""
    lengths = torch.tensor([len(row) for row in rows])
    ids = padded(rows, 0)
    return ids, torch.arange(ids.shape[1])[None] < lengths[:, None]


def loss(model: Any, ids: Tensor, real: Tensor) -> Tensor:
    """Mean cross-entropy of every next token, in nats, padding left out; ``real`` says where tokens are, [rows, T]."""
    states = model.transformer(input_ids=ids[:, :-1]).last_hidden_state
    wanted = real[:, 1:]
    return F.cross_entropy(model.lm_head(states[wanted]), ids[:, 1:][wanted])


def scores(model: Any, words: Any, texts: Sequence[str]) -> dict[str, float]:
    """Perplexity a token of held-out sentences, from their second token to the one that ends them."""
    total, tokens = 0.0, 0
    with torch.inference_mode():
        for text in texts:
            ids = torch.tensor([*words(text)["input_ids"], words.eos_token_id])[None, :POSITIONS]
            if ids.shape[1] < 2:
                continue
            count = ids.shape[1] - 1
            total += float(loss(model, ids, torch.ones_like(ids, dtype=torch.bool))) * count
            tokens += count
    return {"perplexity": round(math.exp(total / tokens), 2), "nats_a_token": round(total / tokens, 3)}
