"""The app with something added from outside, as one entry and its texts.

``python -m tests.outside.added WHAT`` prints as JSON what stands on the pages then. It is a process of its own, since
the tables are read where they are imported.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable


def say(texts: dict[str, str]) -> None:
    """Add strings to the interface, in every language."""
    from viz.text import LANGUAGES

    for strings in LANGUAGES.values():
        strings.update(texts)


def method() -> dict[str, str]:
    """A method that no shipped table has measured: the HTML of every view with it drawn, by the view's name."""
    from model.analysis.maps import sorts

    squares = sorts.MapSort(from_trace=lambda trace: {kind: maps**2 for kind, maps in trace.weights.items()})
    sorts.SORTS["newest"] = squares
    sorts.DRAWN, sorts.RIVALS = (*sorts.DRAWN, "newest"), (*sorts.RIVALS, "newest")
    say({"drawn.newest": "the newest method", "drawn.meaning.newest": "Squares."})

    from tests.pages import markup, opened
    from viz.shell.views import VIEWS

    found = {view: markup(opened(view, drawn="newest", lesson="12")) for view in VIEWS}
    found |= {
        "opening": markup(opened("translate")),
        "aligned": markup(opened("alignment", align_drawn="newest")),
        "truth": markup(opened("alignment", align_drawn="newest", align_view="truth")),
    }
    table = opened("trust").dataframe[0].value
    found["trust row"] = " | ".join(table[table.iloc[:, 0] == "the newest method"].iloc[0])
    return found


ADDS: dict[str, Callable[[], dict[str, str]]] = {"method": method}


def pages_with(what: str) -> dict[str, str]:
    """What one of ADDS returns in a process of its own."""
    import subprocess
    from pathlib import Path

    argv = [sys.executable, "-m", "tests.outside.added", what]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(argv, cwd=root, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    print(json.dumps(ADDS[sys.argv[1]]()))
