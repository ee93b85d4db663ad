"""How many processor threads a forward pass uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def one_thread() -> Iterator[None]:
    """PyTorch computes on one thread while the ``with`` lasts.

    The matrices of a single sentence are too small to share: two threads gain nothing on a quiet
    machine, and on a busy one each waits for the other at every product (20 times slower was seen).
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
