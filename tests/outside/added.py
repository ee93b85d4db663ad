"""The app with something added from outside, as one entry and its texts.

``python -m tests.outside.added WHAT`` prints as JSON what stands on the pages then. It is a process of its own, since
the tables are read where they are imported.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from types import ModuleType


def say(texts: dict[str, str]) -> None:
    """Add strings to the interface, in every language."""
    from viz.core.text import LANGUAGES

    for strings in LANGUAGES.values():
        strings.update(texts)


def method() -> dict[str, str]:
    """A method that no shipped table has measured: the HTML of every view with it drawn, by the view's name."""
    from model.attribution import methods as sorts

    squares = sorts.AttributionMethod(from_trace=lambda trace: {kind: maps**2 for kind, maps in trace.weights.items()})
    sorts.METHODS["newest"] = squares
    sorts.METHOD_NAMES, sorts.RIVALS = (*sorts.METHOD_NAMES, "newest"), (*sorts.RIVALS, "newest")
    say({"method.newest": "the newest method", "method.meaning.newest": "Squares."})

    from tests.pages import markup, opened
    from viz.core.views import VIEWS

    found = {view: markup(opened(view, method="newest", lesson="12")) for view in VIEWS}
    found |= {
        "opening": markup(opened("translate", hl_how=True)),
        "aligned": markup(opened("alignment", align_method="newest")),
        "truth": markup(opened("alignment", align_method="newest", align_view="truth")),
    }
    table = opened("trust").dataframe[0].value
    found["trust row"] = " | ".join(table[table.iloc[:, 0] == "the newest method"].iloc[0])
    return found


def lesson() -> dict[str, str]:
    """A lesson after the last: the title of the lesson that opens, by what the link and the visitor ask for."""
    from viz.core import views

    views.LESSON_MODULES["99"] = "newest"
    from viz.views.lessons.lesson import Lesson
    from viz.widgets.chart import lead

    def picture(_now: object) -> dict[str, str]:
        lead("lesson.99.method")
        return {"answer": "42"}

    module = ModuleType("viz.views.lessons.newest")
    module.LESSON = Lesson(formula="a = b", picture=picture, views=("about",), sentence=False)
    sys.modules[module.__name__] = module
    parts = ("idea", "where", "see", "ask.1", "answer.1", "ask.2", "answer.2", "method")
    say({"lesson.99": "The newest lesson", **{f"lesson.99.{part}": f"{part} of 99" for part in parts}})
    say({"lesson.99.answer.2": "It is {answer}."})

    from tests.pages import SENTENCE, choose, opened, prepared, words

    asked = prepared("lessons", text=SENTENCE)
    asked.query_params["lesson"] = "99"
    choose(asked)
    at = opened("lessons", lesson=list(views.LESSON_MODULES)[-2])
    found = {"linked": asked.subheader[0].value, "page": words(asked), "before": at.subheader[0].value}
    found["link"] = asked.query_params["lesson"]
    found["next"] = at.button(key="lesson_next").click().run().subheader[0].value
    found["unknown"] = opened("lessons", lesson="98").subheader[0].value
    return found


ADDS: dict[str, Callable[[], dict[str, str]]] = {"method": method, "lesson": lesson}


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
