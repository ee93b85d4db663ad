"""What a build does to imports: found by the parser, renamed where they stand, and nothing else is touched."""

from __future__ import annotations

import ast
import re
import tomllib

import pytest

import hatch_build
from hatch_build import RenameError, left_over, place_of, renamed, requirements
from tests.architecture.test_rooms import LIBRARIES
from tests.architecture.tree import ROOT, imports, sources

NAMES = {"fpdf": "fpdf2", "PIL": "pillow", "fontTools": "fonttools", "yaml": "pyyaml"}  # of what they come in


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from model.trace import HeadRef, Kind", "from headlight.model.trace import HeadRef, Kind"),
        ("from viz.core import (\n    a,\n    b,\n)\n", "from headlight.viz.core import (\n    a,\n    b,\n)\n"),
        ("def f():\n    from model import source as s\n", "def f():\n    from headlight.model import source as s\n"),
        ("import viz", "from headlight import viz"),
        ("import viz.core.text as t, os", "import headlight.viz.core.text as t, os"),
        ("x = '爱'; from viz.a import b", "x = '爱'; from headlight.viz.a import b"),
        ("s = 'from model.trace import HeadRef'", "s = 'from headlight.model.trace import HeadRef'"),
        ('"""python -m model translate: one a line"""', '"""headlight translate: one a line"""'),
    ],
)
def test_imports_are_renamed(before: str, after: str) -> None:
    assert renamed(before) == after
    assert left_over(after) == []


@pytest.mark.parametrize(
    "code",
    [
        "from models.trace import x",
        "import modeling, vizier",
        "from . import model",
        "from headlight.model.trace import x",
        "text = 'what came from model and viz'",
        "model = 1\nmodel.trace(model)",
    ],
)
def test_what_is_no_import_of_ours_stays(code: str) -> None:
    assert renamed(code) == code


@pytest.mark.parametrize("code", ["import model.trace", "import os, viz.core", "from \\\n model.trace import x"])
def test_an_import_that_cannot_be_renamed_stops_the_build(code: str) -> None:
    with pytest.raises(RenameError, match=r"x\.py:1"):
        renamed(code, "x.py")


def test_every_file_of_ours_is_renamed_line_by_line() -> None:
    for path, code in sources().items():
        if place_of(path) is None:
            continue
        new = renamed(code, path)
        assert left_over(new) == []
        assert new.count("\n") == code.count("\n")
        inside = {name for name in imports(code) if name.split(".")[0] in hatch_build.ROOMS}
        assert {f"headlight.{name}" for name in inside} <= imports(new)
        assert ast.dump(ast.parse(new)).count("FunctionDef") == ast.dump(ast.parse(code)).count("FunctionDef")


def test_what_only_developers_need_is_left_out() -> None:
    out = ("tests/pages.py", "bench/app.py", "viz/web/src/types.js", "viz/web/package.json", "README.md", "viz.py")
    assert [place_of(path) for path in out] == [None] * len(out)
    assert place_of("viz/web/dist/viewer.js") == "headlight/viz/web/dist/viewer.js"
    assert place_of("checkpoints/en-zh/meta.json") == "headlight/checkpoints/en-zh/meta.json"


def test_everything_imported_is_declared() -> None:
    files = ("requirements.txt", "requirements-live.txt", "requirements-cluster.txt")  # the last two are extras
    declared = {re.split(r"[\[=<>~!]", line)[0] for file in files for line in requirements(ROOT, file)}
    used = {name for name, places in LIBRARIES.items() if not all(place.startswith("bench") for place in places)}
    assert {NAMES.get(name, name) for name in used} - declared == set()


def test_the_tools_are_the_same_for_pip_and_for_groups() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["dependency-groups"]["dev"] == requirements(ROOT, "requirements-dev.txt")
    for extra in ("live", "cluster"):
        assert project["project"]["optional-dependencies"][extra] == requirements(ROOT, f"requirements-{extra}.txt")
