"""No file and no function is too long. Of scripts, eslint says so."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.tree import ROOT, sources

MOST_LINES = 400
MOST_OF_A_FUNCTION = 40  # from its head to its last line, docstring included
MOST_OF_THE_APP = 60
OTHERS = {"assets", "dist", "node_modules"}  # folders of what others wrote, or was built
# Known breaches, each of which must still be one: whoever mends it takes its line away.
OWED: set[str] = set()


def looks() -> dict[str, str]:
    """Every style sheet and markup of our own, by its path from the root."""
    files = [file for end in ("css", "html") for file in (ROOT / "viz").rglob(f"*.{end}")]
    paths = {str(file.relative_to(ROOT)): file for file in sorted(files)}
    return {
        path: file.read_text(encoding="utf-8") for path, file in paths.items() if not OTHERS & set(Path(path).parts)
    }


def long_functions(path: str, source: str) -> Iterator[str]:
    """Path and name of each function that is too long."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    measured = [(node.name, node.end_lineno - node.lineno + 1) for node in nodes if node.end_lineno]
    yield from (f"{path}: {name}" for name, lines in measured if lines > MOST_OF_A_FUNCTION)


def test_no_file_is_too_long() -> None:
    files = sources() | looks()
    lengths = {path: len(text.splitlines()) for path, text in files.items()}
    assert {path: lines for path, lines in lengths.items() if lines > MOST_LINES} == {}
    assert lengths["router.py"] <= MOST_OF_THE_APP


def test_no_function_is_too_long() -> None:
    assert {name for path, text in sources().items() for name in long_functions(path, text)} == OWED


def test_a_long_function_is_seen() -> None:
    short = "def f():\n    def g():\n" + "        1\n" * (MOST_OF_A_FUNCTION - 1)
    assert list(long_functions("x.py", short)) == ["x.py: f"]
