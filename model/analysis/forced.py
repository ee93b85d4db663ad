"""The ids with which a finished translation is gone through once more, all steps at once (teacher forcing)."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from model.trace import Translation
from model.translator import Translator
from model.vocab import BOS_ID, EOS_ID


class ForcedIds(NamedTuple):
    """What the model reads and writes: ``src`` [1, S] ends with <eos>, ``inputs`` [1, T] begin with <bos>.

    ``written`` [T] is the token that each step writes, <eos> last, also where decoding was cut before it.
    """

    src: Tensor
    inputs: Tensor
    written: Tensor


def forced_ids(translator: Translator, translation: Translation) -> ForcedIds:
    """The ids of a finished translation, on the translator's device.

    Raises:
        EmptySentenceError, SentenceTooLongError, UnknownCharacterError: as ``Translator.translate``.
    """
    _, src = translator.encode_source(translation.source)
    ids = list(translation.tgt_ids)
    return ForcedIds(
        src, torch.tensor([[BOS_ID, *ids]], device=src.device), torch.tensor([*ids, EOS_ID], device=src.device)
    )
