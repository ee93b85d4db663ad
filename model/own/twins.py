"""One model for two callers at once: each has module objects, and so hook points, of his own over the same weights."""

from __future__ import annotations

import copy
import os
import queue
from collections.abc import Iterator
from contextlib import contextmanager

from model.own.network.transformer import Transformer

CALLERS = 2  # a third would wait for the same processor


class Twins:
    """A model and others like it, of which each caller gets one that nobody else has.

    Hooks see what passes through the modules on which they sit, whoever runs them. So no two callers may share
    modules while one of them watches; what is heavy, the weights, all can share.
    """

    def __init__(self, model: Transformer) -> None:
        self._free: queue.LifoQueue[Transformer] = queue.LifoQueue()  # a single caller always gets ``model``
        on_cpu = next(model.parameters()).device.type == "cpu"
        for _ in range(1, min(CALLERS, os.cpu_count() or 1) if on_cpu else 1):
            self._free.put(twin(model))
        self._free.put(model)

    @contextmanager
    def one(self) -> Iterator[Transformer]:
        """One of them, as soon as one is free, for as long as the ``with`` lasts."""
        model = self._free.get()
        try:
            yield model
        finally:
            self._free.put(model)


def twin(model: Transformer) -> Transformer:
    """The same model in other module objects; parameters and buffers are the same tensors."""
    shared = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())}
    return copy.deepcopy(model, shared)
