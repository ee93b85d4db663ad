"""The processes that torchrun started, which share a piece of work that needs no messages but a last wait."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

_LONGEST = timedelta(days=7)  # one part may take so much longer than another


@contextmanager
def ranks() -> Iterator[tuple[int, int, Callable[[], object]]]:
    """This process's number, how many there are, and a wait for all; (0, 1, nothing) where torchrun started none."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield 0, 1, lambda: None
        return
    import torch.distributed as dist

    dist.init_process_group("gloo", timeout=_LONGEST)
    try:
        yield dist.get_rank(), size, dist.barrier
    finally:
        dist.destroy_process_group()
