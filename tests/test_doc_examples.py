"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("headlight", "model", "viz", "bench")
FILES = [
    file.relative_to(ROOT)
    for file in (ROOT / "hatch_build.py", *(file for name in FOLDERS for file in sorted((ROOT / name).rglob("*.py"))))
    if ">>>" in file.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("file", FILES, ids=str)
def test_examples_are_true(file: Path) -> None:
    module = importlib.import_module(".".join(file.with_suffix("").parts))
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_a_false_example_fails() -> None:
    false = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "false", None, None)
    assert doctest.DocTestRunner(verbose=False).run(false, out=lambda _: None).failed == 1
