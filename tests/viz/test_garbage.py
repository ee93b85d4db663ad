"""Garbage collection after what stays has been frozen."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

from viz.app import garbage

COUNTS = """
import gc, sys
from viz.app import garbage
assert not gc.isenabled()
cycle = []; cycle.append(cycle); del cycle
garbage.freeze_what_stays()
first = gc.get_freeze_count()
kept = [[] for _ in range(1000)]
garbage.freeze_what_stays()
again = gc.get_freeze_count()
import fractions
garbage.freeze_what_stays()
print(first, again, gc.get_freeze_count(), gc.isenabled())
"""


@pytest.fixture(autouse=True)
def thawed() -> object:
    yield
    gc.unfreeze()
    gc.enable()


def test_freezes_at_first_and_again_only_after_an_import() -> None:
    done = subprocess.run([sys.executable, "-c", COUNTS], capture_output=True, text=True, check=True)
    first, again, later, enabled = done.stdout.split()
    assert int(first) > 1000
    assert int(again) <= int(first)
    assert int(later) >= int(first) + 1000
    assert enabled == "True"


def test_what_is_made_later_is_still_collected() -> None:
    class Seen:
        gone = 0

        def __del__(self) -> None:
            Seen.gone += 1

    garbage.freeze_what_stays()
    lost = Seen()
    lost.itself = lost  # type: ignore[attr-defined]
    del lost
    gc.collect()
    assert Seen.gone == 1
