"""Gradients of attention weights, caught by a hook on the weights: the few lines that do it, and what they caught."""

from __future__ import annotations

import inspect
from typing import NamedTuple

import torch
from torch import Tensor

from model.passage import Ask
from model.source import Source, require
from model.trace import Kind, Translation


class Caught(NamedTuple):
    """What hooks on one layer's weights were given."""

    weights: Tensor  # [H, Q, K]
    # of one log-probability with respect to each weight, [H, Q, K], as they come: a key that the mask hides has one too
    gradients: Tensor
    calls: int  # how often the hook was called

    def where_seen(self) -> Tensor:
        """The gradients, 0 where the mask hides the key: there the weight is 0 in every head and cannot change."""
        return self.gradients.masked_fill((self.weights == 0).all(0), 0.0)


def caught(source: Source, translation: Translation, kind: Kind, layer: int, step: int) -> Caught:
    """What a hook on one layer's weights is given while the log-probability of step ``step`` is differentiated.

    Raises:
        LacksAbilityError: the model gives no gradients.
        IndexError: there is no such step.
    """
    require(source, "gradients")
    given: dict[str, list[Tensor]] = {"weights": [], "gradients": []}

    def hang(of: Kind, place: int, weights: Tensor) -> None:
        if (of, place) == (kind, layer):
            hook_on(weights, given)

    ids = source.ids(translation.source, translation.tgt_ids, translation.finished)
    source.forced(ids, Ask(kinds=(kind,), gradient=step, on_weights=hang))
    weights, gradients = given["weights"][0][0], given["gradients"][-1][0]
    return Caught(weights.cpu(), gradients.cpu(), len(given["gradients"]))


def hook_on(weights: Tensor, given: dict[str, list[Tensor]]) -> None:
    """Keep the weights, and their gradient as soon as there is one."""
    given["weights"].append(weights.detach())
    weights.register_hook(lambda gradient: given["gradients"].append(gradient.detach()))


def shown_code() -> str:
    """The lines of ``hook_on`` as they stand in this file, for the lesson to show."""
    return inspect.getsource(hook_on)


def doubled() -> tuple[list[float], list[float]]:
    """A gradient of [1, 2, 3] under a hook that doubles it, and once more after the hook is removed."""
    found = []
    vector = torch.zeros(3, requires_grad=True)
    hook = vector.register_hook(lambda gradient: gradient * 2)
    for _ in range(2):
        vector.grad = None
        vector.backward(torch.tensor([1.0, 2.0, 3.0]))
        found.append(torch.as_tensor(vector.grad).tolist())
        hook.remove()
    return found[0], found[1]
