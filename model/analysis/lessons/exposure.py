"""Teacher forcing against decoding: what one wrong token costs those after it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from model.passage import Ask
from model.source import Source
from model.trace import Translation


@dataclass(frozen=True)
class Exposure:
    """A translation once more, with one token that was written replaced by the runner-up of that step.

    Attributes:
        right: probability of each written token after the model's own tokens (teacher forcing), [T].
        wrong: the same tokens' after the wrong one was read, [T]; up to and with its own step they are equal.
        other: id of the runner-up.
        chance: probability that the model gave it.
    """

    right: np.ndarray
    wrong: np.ndarray
    other: int
    chance: float


def exposed(model: Source, translation: Translation, step: int) -> Exposure:
    """What follows where step ``step`` of a translation had written its second-best token.

    Training always shows the right prefix, decoding the model's own: the difference is exposure bias
    (Ranzato et al. 2016).

    Raises:
        IndexError: there is no such step, or nothing is read after it.
    """
    ids = model.ids(translation.source, translation.tgt_ids, translation.finished)
    if not 0 <= step < ids.inputs.shape[1] - 1:
        raise IndexError(f"steps are 0 to {ids.inputs.shape[1] - 2}, got {step}")
    logits = model.forced(ids, Ask(logits=True)).logits
    assert logits is not None
    probabilities = logits[step].softmax(-1)
    best = probabilities.topk(2).indices.tolist()
    other = next(token for token in best if token != int(ids.written[step]))
    changed = ids.inputs.clone()
    changed[0, step + 1] = other
    right, wrong = (
        model.log_probs(each).exp()[0].double().cpu().numpy() for each in (ids, ids._replace(inputs=changed))
    )
    return Exposure(right, wrong, other, float(probabilities[other]))


def rewritten(model: Source, translation: Translation, step: int, other: int) -> str:
    """What the model goes on to write by itself after the wrong token; raises as ``translate``."""
    prefix = (*translation.tgt_ids[:step], other)
    return str(model.translate(translation.source, prefix=prefix).text)  # type: ignore[attr-defined]
