"""A second device without a GPU: tensors that are of the model, or made on its device, must not meet others.

All tensors are on the CPU in truth. Those of the model are marked as away, and say that they are on ``cpu:0``; whatever
is computed from them is away too, until ``cpu()`` or ``to`` brings it back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_flatten, tree_map_only

AWAY, HERE = torch.device("cpu", 0), torch.device("cpu")
_TAKES_INDICES = (Tensor.__getitem__, Tensor.__setitem__)  # by tensors of either device
_BRINGS = (Tensor.cpu, Tensor.to, Tensor.type)
_OF_HOST = (Tensor.numpy, Tensor.__array__)


class MixedDevicesError(RuntimeError):
    """An operation met tensors of both devices, or one away as if it were here."""


def is_away(tensor: Tensor) -> bool:
    return bool(tensor.__dict__.get("is_away", False))


class TwoDevices(TorchFunctionMode):
    """While it is entered, operations on tensors of both devices fail, as they would with a GPU.

    Args:
        tensors: of the model, which are away.
    """

    def __init__(self, tensors: Iterable[Tensor]) -> None:
        super().__init__()
        for tensor in tensors:
            tensor.__dict__["is_away"] = True

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        given = [each for each in tree_flatten((args, kwargs))[0] if isinstance(each, Tensor)]
        if func == Tensor.device.__get__:
            return AWAY if is_away(args[0]) else HERE
        if func == Tensor.register_hook and is_away(args[0]):
            return func(args[0], lambda grad: self._given_away(args[1], grad))
        if func in _OF_HOST and is_away(args[0]):
            raise MixedDevicesError(f"{func.__name__} of a tensor that is away")
        away = self._result(func, args, kwargs, given)
        found = func(*args, **kwargs)
        return tree_map_only(Tensor, lambda each: _marked(each, given, away), found)

    def _given_away(self, hook: Callable[[Tensor], Any], gradient: Tensor) -> Any:
        """A hook on a tensor that is away gets a gradient that is, and runs in this mode though autograd calls it."""
        with self:
            return hook(_marked(gradient, [], True))

    @staticmethod
    def _result(func: Any, args: Any, kwargs: Any, given: list[Tensor]) -> bool:
        """Whether what an operation gives is away.

        Raises:
            MixedDevicesError: its tensors are not all on one device; single numbers may be anywhere.
        """
        asked = [each for each in (*args, *kwargs.values()) if isinstance(each, torch.device | str)]
        if func is Tensor.cpu:
            return False
        if func in _BRINGS and len(given) > 1:
            return is_away(given[1])
        if asked and (func in _BRINGS or not given):
            return AWAY in asked
        if func is Tensor.copy_ or func in _TAKES_INDICES:
            if not is_away(args[0]) and any(map(is_away, given)) and func is not Tensor.copy_:
                raise MixedDevicesError(f"{func.__name__} of a tensor that is here by one that is away")
            return is_away(args[0])
        sides = {is_away(each) for each in given if each.dim()}
        if len(sides) > 1:
            raise MixedDevicesError(f"{func.__name__} of tensors on both devices: {[each.shape for each in given]}")
        return any(map(is_away, given))


def _marked(tensor: Tensor, given: list[Tensor], away: bool) -> Tensor:
    """The result with its mark; another tensor where the same one was given with another mark."""
    if any(tensor is each for each in given) and is_away(tensor) != away:
        tensor = tensor.view_as(tensor)
    tensor.__dict__["is_away"] = away
    return tensor
