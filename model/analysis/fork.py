"""Two translations of one sentence, and the step at which they part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from model.analysis.steps import Step
from model.analysis.votes import Votes, votes
from model.trace import Translation
from model.translator import Translator
from model.vocab import BOS_ID, EOS_ID, UNK_ID


@dataclass(frozen=True)
class Fork:
    """The first step at which two translations wrote different tokens.

    Attributes:
        place: the step, from 0.
        written, other: id of the token that either wrote there; <eos> for one that ended.
    """

    place: int
    written: int
    other: int


def fork_between(written: Translation, other: Translation) -> Fork | None:
    """Where two translations part; None where they are the same, or one was cut before they could."""
    for place, (one, two) in enumerate(zip(_with_end(written), _with_end(other), strict=False)):
        if one != two:
            return Fork(place, one, two)
    return None


def closest_call(steps: Sequence[Step]) -> Fork:
    """The step at which a token that was not written was most probable, and that token."""
    rivals = [next(each for each in step.candidates if each.id != step.written.id) for step in steps]
    place = max(range(len(steps)), key=lambda place: rivals[place].probability)
    return Fork(place, steps[place].written.id, rivals[place].id)


def prefix_ids(translator: Translator, text: str) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Target ids of the beginning of a translation, and the pieces in it that the model does not know."""
    tokens = translator.tgt_tokenizer.encode(text)
    unknown = dict.fromkeys(text[token.start : token.end] for token in tokens if token.id == UNK_ID)
    return tuple(token.id for token in tokens), tuple(unknown)


def fork_votes(translator: Translator, text: str, before: Sequence[int], for_id: int, against_id: int) -> Votes:
    """Who voted for one token against another after the target ids ``before``.

    Raises:
        EmptySentenceError, SentenceTooLongError: as ``Translator.translate``.
    """
    _, src_ids = translator.encode_source(text)
    tgt_ids = torch.tensor([[BOS_ID, *before]], device=src_ids.device)
    with translator.running() as model:
        return votes(model, src_ids, tgt_ids, for_id, against_id)


def _with_end(translation: Translation) -> tuple[int, ...]:
    return (*translation.tgt_ids, EOS_ID) if translation.finished else translation.tgt_ids
