"""How a process keeps the memory that training frees, so that the next step does not ask the system for it again."""

from __future__ import annotations

import ctypes
import sys

# Names and numbers of glibc's malloc.h; see mallopt(3).
M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_MAX = -1, -2, -4
KEEP = 2**31 - 1  # bytes
PAD = 2**28


def keep_freed_memory() -> bool:
    """Let this process keep what it frees; True where that could be set (glibc on Linux).

    A step on a processor allocates and frees some gigabytes in pieces of megabytes. By default each is mapped and
    unmapped, and its pages are filled with zeros every time: a third of a training step.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another C library
        return False
    return all(mallopt(name, value) for name, value in ((M_MMAP_MAX, 0), (M_TRIM_THRESHOLD, KEEP), (M_TOP_PAD, PAD)))
