"""What the watched Transformer learns: to copy a string of letters, or to write it backwards."""

from __future__ import annotations

import random
from typing import Literal

import torch
from torch import Tensor

from model.own.text.vocab import BOS_ID, EOS_ID, PAD_ID

LiveTask = Literal["copy", "reverse"]
LIVE_LETTERS = "abcdefghij"
SHORTEST, LONGEST = 3, 8  # letters of a string
_FIRST = 1 + max(PAD_ID, BOS_ID, EOS_ID, 3)  # id of the first letter; 3 is <unk>
LIVE_VOCABULARY = _FIRST + len(LIVE_LETTERS)
PROBE = "headbagfid"[:LONGEST]  # whose attention is watched


def strings(rng: random.Random, count: int) -> list[str]:
    """Random strings, of one length, so that nothing need be padded."""
    length = rng.randint(SHORTEST, LONGEST)
    return ["".join(rng.choices(LIVE_LETTERS, k=length)) for _ in range(count)]


def answer(task: LiveTask, text: str) -> str:
    """What is to be written.

    >>> answer("reverse", "abc"), answer("copy", "abc")
    ('cba', 'abc')
    """
    return text[::-1] if task == "reverse" else text


def batch(task: LiveTask, texts: list[str]) -> tuple[Tensor, Tensor, Tensor]:
    """What is read [B, S], what the decoder reads and what it is to write, [B, T] each."""
    told = [_ids(answer(task, text)) for text in texts]
    source = torch.tensor([[*_ids(text), EOS_ID] for text in texts])
    return source, torch.tensor([[BOS_ID, *ids] for ids in told]), torch.tensor([[*ids, EOS_ID] for ids in told])


def spelt(ids: list[int]) -> str:
    """The letters of ids up to the end; · for what is no letter."""
    ids = ids[: ids.index(EOS_ID)] if EOS_ID in ids else ids
    return "".join(LIVE_LETTERS[each - _FIRST] if each >= _FIRST else "·" for each in ids)


def _ids(text: str) -> list[int]:
    return [_FIRST + LIVE_LETTERS.index(letter) for letter in text]
