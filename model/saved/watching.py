"""The maps of any PyTorch model that has ``nn.MultiheadAttention`` inside, to be written into an NPZ file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from torch import Tensor, nn


@contextmanager
def maps_of(model: nn.Module) -> Iterator[dict[str, Tensor]]:
    """Weights of every ``nn.MultiheadAttention`` of a model while the ``with`` lasts: [B, H, Q, K] by dotted name.

    The model computes what it always does; its fused shortcut for inference is not taken meanwhile.
    """
    seen: dict[str, Tensor] = {}

    def ask(_module: nn.Module, args: Any, kwargs: Any) -> tuple[Any, Any]:
        return args, {**kwargs, "need_weights": True, "average_attn_weights": False}

    with ExitStack() as stack:
        for name, module in model.named_modules():
            if not isinstance(module, nn.MultiheadAttention):
                continue

            def keep(_module: nn.Module, _args: Any, output: Any, name: str = name) -> None:
                seen[name] = output[1].detach()

            stack.callback(module.register_forward_pre_hook(ask, with_kwargs=True).remove)
            stack.callback(module.register_forward_hook(keep).remove)
        yield seen
