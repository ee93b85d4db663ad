"""Keep Python's garbage collector off what stays for good: modules, the model, the libraries."""

from __future__ import annotations

import gc
import sys
from functools import lru_cache

gc.disable()  # while the first run imports what stays


def freeze_what_stays() -> None:
    """Exempt all that lives now from garbage collection, if modules have been imported since the last time.

    Python collects where there is much new, holding its global lock: with the model and the libraries to go
    through, that takes an eighth of a second for nothing. Streamlit would do so after every run of a script;
    ``postScriptGC`` in .streamlit/config.toml tells it not to. What is frozen is still freed when nothing refers
    to it; only cycles of it are not.
    """
    _freeze(len(sys.modules))


@lru_cache(maxsize=1)
def _freeze(_modules: int) -> None:
    gc.collect()
    gc.freeze()
    gc.enable()
