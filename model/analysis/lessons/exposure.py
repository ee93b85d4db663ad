"""Teacher forcing against decoding: what one wrong token costs those after it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from model.passage import Ask, ForcedIds
from model.source import Source
from model.trace import Translation

Taught = Tensor
"""Probability of every token at every step after the model's own tokens, float64 [T, V]."""


@dataclass(frozen=True)
class Exposure:
    """A translation once more, with one token that was written replaced by the runner-up of that step."""

    right: np.ndarray  # probability of each written token after the model's own tokens (teacher forcing), [T]
    wrong: np.ndarray  # the same tokens' after the wrong one was read, [T]; up to and with its own step they are equal
    other: int  # id of the runner-up
    chance: float  # probability that the model gave it


def exposed(model: Source, translation: Translation, step: int, right: Taught) -> Exposure:
    """What follows where step ``step`` of a translation had written its second-best token.

    Training always shows the right prefix, decoding the model's own: the difference is exposure bias
    (Ranzato et al. 2016).

    Args:
        step: that goes wrong.
        right: what ``teacher_forced`` gives, which is the same for every step.

    Raises:
        IndexError: there is no such step, or nothing is read after it.
    """
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    if not 0 <= step < ids.inputs.shape[1] - 1:
        raise IndexError(f"steps are 0 to {ids.inputs.shape[1] - 2}, got {step}")
    best = right[step].topk(2).indices.tolist()
    other = next(token for token in best if token != int(ids.written[step]))
    changed = ids.inputs.clone()
    changed[0, step + 1] = other
    wrong = _probabilities(model, ids._replace(inputs=changed))
    of_written = [each.gather(1, ids.written[:, None])[: ids.steps, 0].cpu().numpy() for each in (right, wrong)]
    return Exposure(of_written[0], of_written[1], other, float(right[step, other]))


def _probabilities(model: Source, ids: ForcedIds) -> Tensor:
    """Of every token at every step: [T, V]."""
    logits = model.forced(ids, Ask(kinds=(), logits=True)).logits
    assert logits is not None
    return logits.double().softmax(-1)


@dataclass(frozen=True)
class Feeds:
    """How the encoder's memory feeds the decoder."""

    width: int  # of the memory's vectors
    shape: tuple[int, ...]  # of each layer's keys and of its values: heads, source tokens, d_head
    error: float  # largest |M W_K + b − K| over all layers, against the keys that the layers used


def teacher_forced(model: Source, translation: Translation) -> tuple[Taught, Feeds]:
    """One pass over a translation: what it gives every token, and the keys of every cross-attention, made of the memory
    by hand and as the model made them."""
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    seen = model.forced(ids, Ask(("memory", "key"), ("cross",), logits=True))
    worst, width = 0.0, 0
    shape: tuple[int, ...] = ()
    for layer in range(model.anatomy.layers("cross")):
        memory, key = seen.step("cross", layer, "memory"), seen.step("cross", layer, "key")
        weight, bias = model.projections("cross", layer).key
        made = (memory @ weight.T + bias).unflatten(-1, (key.shape[0], key.shape[2])).transpose(0, 1)
        worst = max(worst, float((made - key).abs().max()))
        width, shape = memory.shape[-1], tuple(key.shape)
    assert seen.logits is not None
    return seen.logits.double().softmax(-1), Feeds(width, shape, worst)


def rewritten(model: Source, translation: Translation, step: int, other: int) -> str:
    """What the model goes on to write by itself after the wrong token; raises as ``translate``."""
    prefix = (*translation.tgt_ids[:step], other)
    return str(model.translate(translation.source, prefix=prefix).text)  # type: ignore[attr-defined]
